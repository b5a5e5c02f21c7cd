package checks

import (
	"path"
	"slices"
)

// readExtensions are those of the files that a scan looks at or counts.
var readExtensions = []string{".py", ".pyi", ".ipynb", ".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hh", ".hpp", ".hxx", ".hip",
	".inl"}

// Reads reports whether a scan may look at a file of that name: a change of any other file changes no report.
func Reads(name string) bool { return slices.Contains(readExtensions, path.Ext(name)) }
