package outside

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fetchTimeout bounds one download; the larger archive has 29 MB.
const fetchTimeout = 3 * time.Minute

// fetchPauses lie between the tries: a registry that answers 503 once is no fault of the commit that is tested.
var fetchPauses = []time.Duration{2 * time.Second, 10 * time.Second, 30 * time.Second}

// maxFile bounds what is unpacked from an archive.
const maxFile = 64 << 20

// fetch downloads the package with npm, which knows the registry and proxy of this machine, and unpacks the one file.
func (f File) fetch(ctx context.Context) ([]byte, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w (install npm)", ErrUnavailable, f.Package, err)
	}
	pauses := fetchPauses
	if os.Getenv(RequireEnv) == "" {
		pauses = nil // a test that may be skipped waits for nobody
	}
	for _, pause := range pauses {
		data, err := f.pack(ctx, npm)
		if !errors.Is(err, ErrUnavailable) {
			return data, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
	return f.pack(ctx, npm)
}

// pack makes one attempt.
func (f File) pack(ctx context.Context, npm string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "gatebot-outside-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", f.Package)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: npm pack %s: %w: %s", ErrUnavailable, f.Package, err, firstLine(out.String()))
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return nil, fmt.Errorf("%w: npm pack %s left %d archives, want 1", ErrUnavailable, f.Package, len(archives))
	}
	return unpack(archives[0], f.Name)
}

// unpack reads one file of a gzipped tar archive.
func unpack(archive, name string) (data []byte, err error) {
	in, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	zr, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(archive), err)
	}
	for tr := tar.NewReader(zr); ; {
		h, err := tr.Next()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", filepath.Base(archive), name, err)
		}
		if h.Name == name {
			return io.ReadAll(io.LimitReader(tr, maxFile))
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
