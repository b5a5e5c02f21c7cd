package config

import (
	"path"
	"slices"
	"strings"
)

// SourceExtensions are the files that a scan can say anything about, the default of hot_path.include. A test in
// internal/gate holds them against what the scanner reads.
var SourceExtensions = []string{".py", ".pyi", ".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".hip"}

// IsSource reports whether a change of the file can change what a scan finds.
func IsSource(name string) bool {
	return slices.Contains(SourceExtensions, strings.ToLower(path.Ext(name)))
}
