package gate

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestLargePages: a part of the heap is marked for large pages where the kernel leaves that to who asks.
func TestLargePages(t *testing.T) {
	how, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !bytes.Contains(how, []byte("[madvise]")) {
		t.Skipf("large pages are not given to who asks here: %s", how)
	}
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	largeOnce = sync.Once{}
	before := marked(t)
	largePages(minLarge - 1)
	if n := marked(t); n-before >= minLarge/2 { // the runtime may have marked a little meanwhile
		t.Errorf("%d bytes of a small heap are marked", n-before)
	}
	n := heapInUse()*5 + minLarge
	largePages(n)
	if got := marked(t); got < n { // a piece that was marked before may be taken again
		t.Errorf("%d bytes are marked, want %d", got, n)
	}
}

// marked is how much memory of this process is marked for large pages, in bytes. The runtime marks some by itself.
func marked(t *testing.T) (sum int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	size := 0
	for line := range strings.Lines(string(maps)) {
		if _, err := fmt.Sscanf(line, "Size: %d kB", &size); err == nil {
			continue
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && strings.Contains(flags, " hg") {
			sum += size << 10
		}
	}
	return sum
}
