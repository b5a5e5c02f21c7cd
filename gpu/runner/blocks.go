package runner

import (
	"io/fs"
	"syscall"
)

// blocks is what a file takes on disk, in bytes: a file with holes is as small as it is.
func blocks(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
