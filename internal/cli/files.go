package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file as a whole: under another name in the same folder first,
// so that no reader and no crash ever sees half of it. A file that is there is
// replaced.
func writeFile(path string, write func(io.Writer) error) (err error) {
	tmp, err := create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close() // closing twice does no harm
			os.Remove(tmp.Name())
			err = cannotWrite(path, err)
		}
	}()
	buf := bufio.NewWriter(tmp)
	for _, step := range []func() error{
		func() error { return write(buf) },
		buf.Flush,
		func() error { return tmp.Chmod(0o644) },
		tmp.Sync,
		tmp.Close,
		func() error { return os.Rename(tmp.Name(), path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writable reports why a file could not be written, before the work whose result
// it is to hold.
func writable(path string) error {
	tmp, err := create(path)
	if err != nil {
		return err
	}
	tmp.Close()
	return os.Remove(tmp.Name())
}

// create opens the file that will become path.
func create(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, cannotWrite(path, errors.New("it is a directory"))
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	return tmp, nil
}

// cannotWrite names the file meant, not the one that stands in for it.
func cannotWrite(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}
