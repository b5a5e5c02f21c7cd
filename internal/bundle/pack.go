package bundle

import (
	"bufio"
	"compress/zlib"
	"context"
	"crypto/sha1" //nolint:gosec // the pack format's checksum
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// writePack writes a version 2 pack of whole objects, no deltas. go-git's encoder would hold every object in memory.
func writePack(ctx context.Context, s storer.EncodedObjectStorer, ids []plumbing.Hash, w io.Writer) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	sum := sha1.New() //nolint:gosec // see above
	out := io.MultiWriter(buf, sum)
	head := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	if uint64(len(ids)) > 1<<32-1 {
		return fmt.Errorf("%w: %d objects", ErrTooLarge, len(ids))
	}
	head = binary.BigEndian.AppendUint32(head, uint32(len(ids)))
	if _, err := out.Write(head); err != nil {
		return err
	}
	z, err := zlib.NewWriterLevel(out, zlib.BestSpeed) // the way to the runner is short or fast
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeObject(s, id, out, z); err != nil {
			return err
		}
	}
	if _, err := buf.Write(sum.Sum(nil)); err != nil {
		return err
	}
	return buf.Flush()
}

func writeObject(s storer.EncodedObjectStorer, id plumbing.Hash, out io.Writer, z *zlib.Writer) (err error) {
	o, err := s.EncodedObject(plumbing.AnyObject, id)
	if err != nil {
		return missing(id, "while writing", err)
	}
	if _, err := out.Write(entryHead(o.Type(), o.Size())); err != nil {
		return err
	}
	r, err := o.Reader()
	if err != nil {
		return fmt.Errorf("object %s: %w", id, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	z.Reset(out)
	n, err := io.Copy(z, r)
	if err != nil {
		return fmt.Errorf("object %s: %w", id, err)
	}
	if n != o.Size() {
		return fmt.Errorf("%w: object %s has %d bytes of %d", ErrMissing, id, n, o.Size())
	}
	return z.Close()
}

// entryHead is the type and size of a packed object: four bits of size beside the type, then seven a byte.
func entryHead(t plumbing.ObjectType, size int64) []byte {
	b := byte(t)<<4 | byte(size&15)
	size >>= 4
	var out []byte
	for size > 0 {
		out = append(out, b|0x80)
		b = byte(size & 0x7f)
		size >>= 7
	}
	return append(out, b)
}
