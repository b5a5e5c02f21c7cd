package harness

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed py/run.py py/gatebot_harness/*.py
var python embed.FS

// unpack writes the Python side below dir and returns the file to start.
func unpack(dir string) (string, error) {
	err := fs.WalkDir(python, "py", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := python.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	return filepath.Join(dir, "py", "run.py"), err
}
