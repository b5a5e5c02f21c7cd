package tree

import (
	"io/fs"
	"syscall"
	"time"
)

// identity is the inode and the time of the last change of anything about the file, which nobody can set back.
func identity(info fs.FileInfo) (inode uint64, ctime time.Time) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, time.Time{}
	}
	return st.Ino, time.Unix(st.Ctim.Unix())
}
