package git

import (
	"container/list"
	"sync"
)

// blobCache keeps contents of blobs up to a number of bytes; those that were not asked for longest go first. A walk over a
// history asks for the same file each time that something looks at it anew, and a child has to put it together from the
// versions around it each time. It keeps nothing until it has room.
type blobCache struct {
	mu     sync.Mutex
	room   int // in bytes
	used   int
	blobs  map[string]*list.Element
	recent list.List // of *keptBlob, the last one first
}

type keptBlob struct {
	id   string
	data []byte
}

// on reports whether it has room.
func (c *blobCache) on() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room > 0
}

func (c *blobCache) get(id string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.blobs[id]
	if e == nil {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*keptBlob).data, true //nolint:forcetypeassert // nothing else is put there
}

func (c *blobCache) put(id string, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.blobs[id] != nil || len(data) > c.room/4 {
		return // read twice side by side, or so large that much else would go
	}
	if c.blobs == nil {
		c.blobs = map[string]*list.Element{}
	}
	c.blobs[id] = c.recent.PushFront(&keptBlob{id, data})
	c.used += len(data)
	for c.used > c.room {
		last := c.recent.Remove(c.recent.Back()).(*keptBlob) //nolint:forcetypeassert // as above
		delete(c.blobs, last.id)
		c.used -= len(last.data)
	}
}

// KeepBlobs makes the repository keep contents that were asked for one by one, up to that many bytes, and the tree that was
// listed last: from then on whoever is given a content must not change it.
func (r *CLI) KeepBlobs(bytes int) {
	r.kept.mu.Lock()
	defer r.kept.mu.Unlock()
	r.kept.room = bytes
}
