package gate

import (
	"testing"
	"testing/fstest"
)

func TestFreeMemory(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	const meminfo = "MemTotal:       24684292 kB\nMemFree:         1000000 kB\nMemAvailable:   20000000 kB\n"
	for _, c := range []struct {
		name string
		fs   fstest.MapFS
		want int64
	}{
		{"nothing to read", fstest.MapFS{}, 0},
		{"no control group", fstest.MapFS{"proc/meminfo": file(meminfo)}, 20_000_000 << 10},
		{"damaged", fstest.MapFS{"proc/meminfo": file("MemAvailable: much kB\n")}, 0},
		{"no limit", fstest.MapFS{"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/b/memory.current": file("5\n")}, 20_000_000 << 10},
		{"the group around", fstest.MapFS{"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("3000\n"), "sys/fs/cgroup/a/b/memory.current": file("5\n"),
			"sys/fs/cgroup/a/memory.max": file("2000\n"), "sys/fs/cgroup/a/memory.current": file("500\n")}, 1500},
		{"a container", fstest.MapFS{"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/../../docker/1\n"),
			"sys/fs/cgroup/memory.max": file("3000\n"), "sys/fs/cgroup/memory.current": file("1000\n")}, 2000},
		{"version 1", fstest.MapFS{"proc/meminfo": file(meminfo), "proc/self/cgroup": file("5:cpu:/x\n4:memory:/x\n0::/x\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("4096\n"), "sys/fs/cgroup/memory/x/memory.usage_in_bytes": file("96\n")}, 4000},
		{"more than it may", fstest.MapFS{"proc/meminfo": file(meminfo), "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("1\n"), "sys/fs/cgroup/memory.current": file("2\n")}, 0},
	} {
		if got := freeMemoryIn(c.fs); got != c.want {
			t.Errorf("%s: %d bytes are free, want %d", c.name, got, c.want)
		}
	}
}

func TestWalkRoom(t *testing.T) {
	for free, want := range map[int64]int64{0: walkLeast, 4 << 30: walkLeast, 6 << 30: 768 << 20, 64 << 30: walkMost} {
		if got := walkRoom(free); got != want {
			t.Errorf("with %d bytes free a walk has room of %d, want %d", free, got, want)
		}
	}
}
