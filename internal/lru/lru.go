// Package lru keeps what was used last, up to a total cost: contents of blobs, trees in their short form, trees of C.
package lru

import (
	"container/list"
	"sync"
)

// Cache keeps values up to a total cost, in whatever unit its owner counts; those that were not used for longest go first.
// It may be used from any number of goroutines.
type Cache[K comparable, V any] struct {
	mu     sync.Mutex
	drop   func(V)
	room   int
	used   int
	closed bool
	byKey  map[K]*list.Element
	recent list.List // of *kept[K, V], the last one first
}

type kept[K comparable, V any] struct {
	key   K
	value V
	cost  int
}

// New has room for a cost. Drop is told of each value that goes other than by Take, under the lock of the cache; it may be nil.
func New[K comparable, V any](room int, drop func(V)) *Cache[K, V] {
	return &Cache[K, V]{room: room, drop: drop, byKey: map[K]*list.Element{}}
}

// Get is the value of a key, which has been used now.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return value, false
	}
	c.recent.MoveToFront(e)
	return of[K, V](e).value, true
}

// Take removes a value, so that it is the caller's alone.
func (c *Cache[K, V]) Take(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return value, false
	}
	return c.remove(e).value, true
}

// Put keeps a value, unless its key has one, it costs more than there is room for, or the cache is closed: then it is dropped.
func (c *Cache[K, V]) Put(key K, value V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[key] != nil || cost > c.room || c.closed {
		c.gone(value)
		return
	}
	c.byKey[key] = c.recent.PushFront(&kept[K, V]{key, value, cost})
	c.used += cost
	c.shrink(c.room)
}

// Room is the cost that it keeps.
func (c *Cache[K, V]) Room() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room
}

// Held is how many values there are, and what they cost.
func (c *Cache[K, V]) Held() (values, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len(), c.used
}

// Resize gives it another room.
func (c *Cache[K, V]) Resize(room int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room = room
	c.shrink(room)
}

// Close drops all values. Afterwards nothing is kept.
func (c *Cache[K, V]) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.recent.Len() > 0 {
		c.gone(c.remove(c.recent.Back()).value)
	}
}

func (c *Cache[K, V]) shrink(room int) {
	for c.used > room {
		c.gone(c.remove(c.recent.Back()).value)
	}
}

func (c *Cache[K, V]) remove(e *list.Element) *kept[K, V] {
	x := of[K, V](e)
	c.recent.Remove(e)
	delete(c.byKey, x.key)
	c.used -= x.cost
	return x
}

func (c *Cache[K, V]) gone(value V) {
	if c.drop != nil {
		c.drop(value)
	}
}

func of[K comparable, V any](e *list.Element) *kept[K, V] {
	return e.Value.(*kept[K, V]) //nolint:forcetypeassert // nothing else is put there
}
