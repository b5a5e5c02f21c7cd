package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Limits of a file. A trace comes from the process under test, which may write anything into it.
const (
	MaxLine  = 1 << 20 // bytes of one line
	MaxBytes = 4 << 30 // bytes of one file, unpacked
)

// ErrTooLarge is wrapped when a line or file is over its limit.
var ErrTooLarge = errors.New("trace: over the size limit")

// Reader streams the events of one file.
type Reader struct {
	name   string
	r      *bufio.Reader
	bytes  int64
	line   int64
	header *Header
	end    *End
	cut    bool
	err    error
	names  map[nameKey]string
}

// nameKey is a kernel name's number, which is its thread's.
type nameKey struct{ tid, id int }

// NewReader reads the header. The name is for errors only. Gzip is recognised by its magic bytes.
func NewReader(r io.Reader, name string) (*Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, err := b.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b = bufio.NewReaderSize(z, 64<<10)
	}
	t := &Reader{name: name, r: b}
	e, err := t.Next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: empty (the writer never started)", name)
	}
	if err != nil {
		return nil, err
	}
	h, ok := e.(*Header)
	if !ok {
		return nil, t.bad("first line is of kind %s, want a header", e.Kind())
	}
	if h.Schema != Schema {
		return nil, t.bad("schema %q, want %q (written by another version?)", h.Schema, Schema)
	}
	t.header = h
	return t, nil
}

// Header is the first line.
func (t *Reader) Header() *Header { return t.header }

// Line is the number of the line that Next gave last, from 1.
func (t *Reader) Line() int64 { return t.line }

// Incomplete says why the file is not whole, "" when it is. It is known after Next has returned io.EOF.
func (t *Reader) Incomplete() string {
	switch {
	case t.cut:
		return fmt.Sprintf("cut off in line %d", t.line)
	case t.end == nil:
		return "no end event (the process was killed, or is still running)"
	case t.end.Lost > 0:
		return fmt.Sprintf("%d events lost", t.end.Lost)
	case t.end.Events != t.line-1:
		return fmt.Sprintf("%d events before the end, which counts %d", t.line-1, t.end.Events)
	}
	return ""
}

// Next gives the next event, io.EOF after the last. An error names the file and the line and is final. A last line
// without its newline that does not parse is what a killed writer leaves: the file is incomplete, and that is no error.
func (t *Reader) Next() (Event, error) {
	for t.err == nil {
		e, err := t.next()
		t.err = err
		if n, ok := e.(*Name); ok {
			if t.names == nil {
				t.names = map[nameKey]string{}
			}
			t.names[nameKey{n.TID, n.ID}] = n.Text
			continue
		}
		if l, ok := e.(*Launch); ok && l.K != 0 {
			text, known := t.names[nameKey{l.TID, l.K}]
			if !known {
				t.err = t.bad("launch: no name %d on thread %d", l.K, l.TID)
				break
			}
			l.Kernel, l.K = text, 0
		}
		return e, err
	}
	return nil, t.err
}

func (t *Reader) next() (Event, error) {
	line, err := t.read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	cut := errors.Is(err, io.EOF)
	if cut && len(line) == 0 {
		return nil, io.EOF
	}
	t.line++
	if t.end != nil {
		return nil, t.bad("a line after the end")
	}
	e, err := parse(line)
	if err != nil {
		if cut {
			t.cut = true
			return nil, io.EOF
		}
		return nil, t.bad("%w", err)
	}
	switch e := e.(type) {
	case *Header:
		if t.line != 1 {
			return nil, t.bad("a second header")
		}
	case *End:
		t.end = e
	}
	return e, nil
}

// read gives one line without its newline, and io.EOF with the last one when that has no newline.
func (t *Reader) read() ([]byte, error) {
	var long []byte
	for {
		part, err := t.r.ReadSlice('\n')
		t.bytes += int64(len(part))
		if t.bytes > MaxBytes || len(long)+len(part) > MaxLine {
			t.line++
			return nil, t.bad("%w", ErrTooLarge)
		}
		switch {
		case err == nil:
			if long != nil {
				part = append(long, part...)
			}
			return part[:len(part)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
		case errors.Is(err, io.EOF):
			return append(long, part...), io.EOF
		case errors.Is(err, io.ErrUnexpectedEOF): // gzip without its end, even when all lines are there
			t.cut = true
			return append(long, part...), io.EOF
		default:
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
	}
}

func (t *Reader) bad(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", t.name, t.line, fmt.Errorf(format, args...))
}

// parse reads one line.
func parse(line []byte) (Event, error) {
	var k struct {
		Ev Kind `json:"ev"`
	}
	if err := json.Unmarshal(line, &k); err != nil {
		return nil, err
	}
	e := fresh(k.Ev)
	if e == nil {
		return nil, fmt.Errorf("unknown event %q (written by another version?)", k.Ev)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Ev, err)
	}
	return e, valid(e)
}

// valid refuses values that would make a check read nothing where there is something.
func valid(e Event) error {
	at := func(v string) error {
		if v != Enter && v != Exit {
			return fmt.Errorf("%s: at %q is none of %s, %s", e.Kind(), v, Enter, Exit)
		}
		return nil
	}
	switch e := e.(type) {
	case *Phase:
		if e.Name == "" {
			return errors.New("phase: no name")
		}
		return at(e.At)
	case *Step:
		return at(e.At)
	case *Region:
		if e.Name == "" {
			return errors.New("region: no name")
		}
		return at(e.At)
	case *API:
		if e.Name == "" || e.Class == "" || (e.Level != Runtime && e.Level != Driver) {
			return errors.New("api: name, class and level are required")
		}
		if e.Class == ClassCopy && e.Copy == nil {
			return errors.New("api: a copy without its copy field")
		}
	}
	return nil
}
