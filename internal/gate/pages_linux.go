package gate

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"

	"golang.org/x/sys/unix"
)

// largePages lets the next n bytes of the heap lie in large pages where the kernel has them for who asks. What a push reads
// of the scans before it fills 45,000 pages of 4 KiB otherwise, on all cores at once, and that is a third of its time. The
// runtime has no setting for it: a piece of the heap is made, which touches none of it, marked, and given back to the
// runtime, which fills it next. Once in a process is enough, and a heap that is there already is as it is.
func largePages(n int) {
	if n < minLarge || pacedByUser() || heapInUse() > n/4 {
		return
	}
	largeOnce.Do(func() {
		how, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
		if err != nil || !bytes.Contains(how, []byte("[madvise]")) {
			return // never, or always
		}
		room := make([]byte, n)
		_ = unix.Madvise(room, unix.MADV_HUGEPAGE) // it is advice
		room = nil                                 //nolint:ineffassign,wastedassign // the collector takes it
		arranged.Add(1)
		runtime.GC()
	})
}

// minLarge is too little to be worth a collection.
const minLarge = 32 << 20

var largeOnce sync.Once

// heapInUse is what objects take, dead or alive, in bytes.
func heapInUse() int {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
