package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file as a whole: under another name in the same folder first,
// so that no reader and no crash ever sees half of it. A file that is there is
// replaced.
func writeFile(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("cannot write %s: it is a directory", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			tmp.Close() // closing twice does no harm
			os.Remove(tmp.Name())
			err = fmt.Errorf("cannot write %s: %w", path, err)
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
