package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// tailBytes of the child's output go into the result.
const tailBytes = 64 << 10

// cappedLog keeps the first and the last half of limit bytes: a job that prints for half an hour fills no disk.
type cappedLog struct {
	mu    sync.Mutex
	f     *os.File
	half  int64
	head  int64  // bytes in the file
	ring  []byte // the newest bytes beyond the head, from at on
	at    int
	total int64
	tail  []byte
	err   error
	tee   func([]byte)
}

func newCappedLog(name string, limit int64) (*cappedLog, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &cappedLog{f: f, half: max(limit/2, 1)}, nil
}

// copyFrom reads until the end. It never stops early: a full pipe would stop the child.
func (l *cappedLog) copyFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		l.add(buf[:n])
		if l.tee != nil && n > 0 {
			l.tee(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (l *cappedLog) add(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total += int64(len(b))
	if l.tail = append(l.tail, b...); len(l.tail) > 2*tailBytes {
		l.tail = append([]byte(nil), l.tail[len(l.tail)-tailBytes:]...)
	}
	if room := min(l.half-l.head, int64(len(b))); room > 0 {
		if _, err := l.f.Write(b[:room]); err != nil && l.err == nil {
			l.err = err // the disk is full; the tail is still worth having
		}
		l.head += room
		b = b[room:]
	}
	if room := min(l.half-int64(len(l.ring)), int64(len(b))); room > 0 {
		l.ring = append(l.ring, b[:room]...)
		b = b[room:]
	}
	for len(b) > 0 {
		n := copy(l.ring[l.at:], b)
		l.at = (l.at + n) % len(l.ring)
		b = b[n:]
	}
}

// Tail is the end of the output, cleaned for people to read.
func (l *cappedLog) Tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tail
	if len(t) > tailBytes {
		t = t[len(t)-tailBytes:]
	}
	return clean(t)
}

// Close writes the second half. Its error is the first write's.
func (l *cappedLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if left := l.total - l.head - int64(len(l.ring)); left > 0 && l.err == nil {
		_, l.err = fmt.Fprintf(l.f, "\n… %d bytes left out …\n", left)
	}
	for _, part := range [][]byte{l.ring[l.at:], l.ring[:l.at]} {
		if l.err == nil {
			_, l.err = l.f.Write(part)
		}
	}
	return errors.Join(l.err, l.f.Close())
}
