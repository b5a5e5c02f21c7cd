package gate

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// freeMemory is how many bytes this process may take before the machine, or a control group that it is in, has none
// left; 0 when that cannot be read. Cached files count as free, as the kernel's own estimate has them.
func freeMemory() int64 { return freeMemoryIn(os.DirFS("/")) }

func freeMemoryIn(root fs.FS) int64 {
	info, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	free := int64(0)
	for line := range bytes.Lines(info) {
		if rest, ok := bytes.CutPrefix(line, []byte("MemAvailable:")); ok {
			free = number(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB")))) << 10
		}
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return max(0, free)
	}
	in := bufio.NewScanner(bytes.NewReader(groups))
	for in.Scan() {
		// hierarchy-ID:controllers:path
		parts := strings.SplitN(in.Text(), ":", 3)
		if len(parts) < 3 {
			continue
		}
		switch parts[1] {
		case "":
			free = min(free, groupFree(root, "sys/fs/cgroup", parts[2], "memory.max", "memory.current"))
		case "memory":
			free = min(free, groupFree(root, "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes", "memory.usage_in_bytes"))
		}
	}
	return max(0, free)
}

// groupFree is what a control group and those around it leave. In a container the path may be that of the host, where
// only the mounted root, which is the container's own group, is there to be read.
func groupFree(root fs.FS, mount, group, limit, used string) int64 {
	free := int64(1) << 62
	for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
		if most, ok := groupNumber(root, mount+dir+"/"+limit); ok {
			if now, ok := groupNumber(root, mount+dir+"/"+used); ok {
				free = min(free, most-now)
			}
		}
		if dir == "/" {
			return free
		}
	}
}

func groupNumber(root fs.FS, file string) (int64, bool) {
	text, err := fs.ReadFile(root, path.Clean(file))
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number, and no limit
	return n, err == nil
}

// number is 0 for what is none.
func number(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
