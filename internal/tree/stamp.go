package tree

import (
	"fmt"
	"io/fs"
	"time"
)

// racy is how long after a change a file may change again without its times telling: the coarsest clock of a file
// system that people work on (FAT) ticks every two seconds. git takes the same care of its index.
const racy = 2 * time.Second

// stamp stands for the content of a file on disk: size, times and inode. A file that has only just changed has none.
func stamp(info fs.FileInfo) string {
	changed := info.ModTime()
	inode, ctime := identity(info)
	if ctime.After(changed) {
		changed = ctime
	}
	if since := time.Since(changed); since < racy {
		return "" // also a time in the future
	}
	return fmt.Sprintf("%d %d %d %d", info.Size(), info.ModTime().UnixNano(), ctime.UnixNano(), inode)
}
