package queue

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go"
)

// Messages above packAbove bytes travel compressed: webhooks are JSON and shrink about tenfold.
const (
	packAbove    = 64 << 10
	unpackLimit  = 64 << 20 // bytes; far above GitHub's 25 MiB, far below what a compression bomb wants
	headerPacked = "Gatebot-Encoding"
)

// pack puts data into m, compressed when it is long and that helps.
func pack(m *nats.Msg, data []byte) error {
	if len(data) > unpackLimit {
		return fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, len(data), unpackLimit)
	}
	m.Data = data
	if len(data) <= packAbove {
		return nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if b.Len() < len(data) {
		m.Data = b.Bytes()
		m.Header.Set(headerPacked, "gzip")
	}
	return nil
}

// unpack undoes pack.
func unpack(h nats.Header, data []byte) ([]byte, error) {
	switch enc := h.Get(headerPacked); enc {
	case "":
		return data, nil
	case "gzip":
	default:
		return nil, fmt.Errorf("queue: message encoded as %q (written by a newer gatebot?)", enc)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("queue: unpack message: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, unpackLimit+1))
	if err != nil {
		return nil, fmt.Errorf("queue: unpack message: %w", err)
	}
	if len(out) > unpackLimit {
		return nil, errors.New("queue: unpack message: more than 64 MiB")
	}
	return out, nil
}
