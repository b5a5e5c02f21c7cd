package queue

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

type blobReader struct {
	c    *Conn
	ctx  context.Context
	name string
	path string
	head *blobHead
	next int
	size int64
	rest []byte
	sum  hash.Hash
}

func (r *blobReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.next == r.head.Pieces {
			if r.size != r.head.Size || hex.EncodeToString(r.sum.Sum(nil)) != r.head.SHA256 {
				return 0, r.c.blobErr(r.name, errors.New("content does not match its checksum"))
			}
			return 0, io.EOF
		}
		data, err := r.c.piece(r.ctx, pieceSubject(r.path, r.head.Put, r.next))
		if err != nil {
			return 0, r.c.blobErr(r.name, fmt.Errorf("piece %d of %d: %w", r.next, r.head.Pieces, err))
		}
		r.next++
		r.size += int64(len(data))
		r.sum.Write(data)
		r.rest = data
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *blobReader) Close() error { return nil }
