package dynamic

import (
	"path/filepath"
	"strings"
)

// Inside gives a file's path below the root, with '/'. An environment that lives in the repository is not the
// repository's code: ok is false for it.
func Inside(root, file string) (rel string, ok bool) {
	if file == "" || root == "" || file[0] == '<' { // "<frozen abc>" is no file
		return "", false
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	rel, err := filepath.Rel(root, filepath.Clean(file))
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	return rel, !strings.Contains("/"+rel, "/site-packages/") && !strings.Contains("/"+rel, "/dist-packages/")
}

// Framework reports whether a file is what everything goes through: torch, triton, the standard library, the harness. The
// name of a folder somewhere above decides nothing: environments live in /opt/torch.
func Framework(file string) bool {
	_, below, ok := strings.Cut(file, "-packages/")
	if !ok {
		return strings.HasPrefix(file, "<") || strings.Contains(file, "/lib/python3") || strings.Contains(file, "/gatebot_harness/")
	}
	return strings.HasPrefix(below, "torch/") || strings.HasPrefix(below, "triton/")
}

// Known is a library's file without the place where it is installed.
func Known(file string) string {
	if _, below, ok := strings.Cut(file, "-packages/"); ok {
		return below
	}
	if _, below, ok := strings.Cut(file, "/lib/python3"); ok {
		if _, below, ok = strings.Cut(below, "/"); ok {
			return below
		}
	}
	return file
}
