// Package site puts the game into a page: the model compiled for browsers, what shows it,
// and a scenario, in one file that needs nothing else.
package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A Program is the model compiled for browsers.
type Program struct {
	Wasm   []byte
	Loader []byte // the script of the same Go that lets a browser run it
}

const program = "github.com/metastable/metastable/internal/explore/wasm"

// Reasons why the program cannot be compiled.
var (
	ErrNoGo     = errors.New("the model is compiled for the browser with Go, and there is no go command in PATH")
	ErrNoSource = errors.New("the model is compiled for the browser from the source of metastable, which is not where this program was built from; use go run ./cmd/metastable in a checkout")
)

// Compile compiles the program with the go command from the source of this one. The result
// stays in the user's cache, where the go command knows whether it is up to date: the first
// time takes up to a minute, the others half a second.
func Compile(ctx context.Context) (*Program, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, ErrNoGo
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return nil, ErrNoSource
	}
	if _, err := os.Stat(file); err != nil {
		return nil, ErrNoSource
	}
	source := filepath.Dir(file)
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	cache = filepath.Join(cache, "metastable")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	out := filepath.Join(cache, fmt.Sprintf("explore-%.4x.wasm", sha256.Sum256([]byte(source)))) // each checkout its own
	if _, err := run(ctx, source, "build", "-trimpath", "-ldflags=-s -w", "-o", out, program); err != nil {
		return nil, err
	}
	root, err := run(ctx, source, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	p := &Program{}
	if p.Wasm, err = os.ReadFile(out); err != nil {
		return nil, err
	}
	p.Loader, err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	return p, err
}

// run runs the go command for browsers in a folder and returns what it prints.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
