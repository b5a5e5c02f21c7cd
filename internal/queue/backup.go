package queue

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Backup writes the store of an embedded queue as a compressed tar. The store must not be in use: files of a running one do
// not fit together. What GitHub sends meanwhile is repeated by the reconciler afterwards.
func Backup(ctx context.Context, dir string, w io.Writer) (err error) {
	lock, err := lockDir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == "." || path == lock.Name() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		h.Name = filepath.ToSlash(name)
		if err := out.WriteHeader(h); err != nil || !info.Mode().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, f)
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// Restore makes a store out of a backup. The directory must be empty or missing, and is removed again when the backup is
// not whole: half a store would look like a whole one that has lost things.
func Restore(ctx context.Context, dir string, r io.Reader) (err error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("restore: %s is not empty (move it away first)", dir)
	}
	zip, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("restore: %w (is it a backup of gatebot?)", err)
	}
	fresh := strings.TrimSuffix(dir, "/") + ".restoring"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := os.MkdirAll(fresh, 0o700); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	root, err := os.OpenRoot(fresh) // a name in the archive leads nowhere else
	if err == nil {
		err = errors.Join(unpackStore(ctx, root, tar.NewReader(zip)), root.Close())
	}
	if err != nil {
		return fmt.Errorf("restore: %w", errors.Join(err, os.RemoveAll(fresh)))
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restore: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

func unpackStore(ctx context.Context, root *os.Root, in *tar.Reader) error {
	files := 0
	for {
		h, err := in.Next()
		switch {
		case errors.Is(err, io.EOF) && files == 0:
			return errors.New("the backup holds no files")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		switch h.Typeflag {
		case tar.TypeDir:
			if err := root.MkdirAll(h.Name, 0o700); err != nil {
				return err
			}
		case tar.TypeReg:
			files++
			f, err := root.OpenFile(filepath.FromSlash(h.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			_, err = io.Copy(f, in)
			if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%q is neither a file nor a directory", h.Name)
		}
	}
}
