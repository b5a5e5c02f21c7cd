package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// A blob is a head, `blobs.m.<name>`, and its pieces, `blobs.c.<name>.<put>.<n>`. The head is written last, so a put
// that was cut off is no blob; its pieces age out. Not NATS's own object store: reading that needs the right to create
// consumers, which a runner must not have (see permissions).

// pieceSize is bytes per message: large enough to be fast, small enough not to hold up heart-beats.
const pieceSize = 512 << 10

type blobHead struct {
	Put    string `json:"put"`
	Pieces int    `json:"pieces"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func headSubject(path string) string { return "blobs.m." + path }
func pieceSubject(path, put string, n int) string {
	return fmt.Sprintf("blobs.c.%s.%s.%d", path, put, n)
}
func (c *Conn) blobErr(name string, err error) error {
	return fmt.Errorf("queue: blob %s: %w", name, err)
}

// PutBlob implements Queue. It replaces a blob of the same name in one step.
func (c *Conn) PutBlob(ctx context.Context, name string, r io.Reader) error {
	path, err := escapePath(name)
	if err != nil {
		return err
	}
	old, err := c.blobHead(ctx, path)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return c.blobErr(name, err)
	}
	h := blobHead{Put: nuid.Next()}
	sum := sha256.New()
	buf := make([]byte, pieceSize)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if perr := c.putPiece(ctx, pieceSubject(path, h.Put, h.Pieces), buf[:n]); perr != nil {
				return c.blobErr(name, errors.Join(perr, c.purgePieces(context.WithoutCancel(ctx), path, h.Put)))
			}
			h.Pieces++
			h.Size += int64(n)
			sum.Write(buf[:n])
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return c.blobErr(name, errors.Join(err, c.purgePieces(context.WithoutCancel(ctx), path, h.Put)))
		}
	}
	h.SHA256 = hex.EncodeToString(sum.Sum(nil))
	data, err := json.Marshal(h)
	if err != nil {
		return c.blobErr(name, err)
	}
	if err := c.putPiece(ctx, headSubject(path), data); err != nil {
		return c.blobErr(name, err)
	}
	if old != nil {
		return c.purgePieces(ctx, path, old.Put)
	}
	return nil
}

func (c *Conn) putPiece(ctx context.Context, subject string, data []byte) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	_, err := c.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: data}, jetstream.WithExpectStream(blobStream))
	return c.classify(err)
}

func (c *Conn) purgePieces(ctx context.Context, path, put string) error {
	return c.purgeBlobs(ctx, fmt.Sprintf("blobs.c.%s.%s.*", path, put))
}

func (c *Conn) purgeBlobs(ctx context.Context, filter string) error {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	st, err := c.js.Stream(ctx, blobStream)
	if err != nil {
		return c.classify(err)
	}
	return c.classify(st.Purge(ctx, jetstream.WithPurgeSubject(filter)))
}

// piece reads the newest message of a subject. It asks by subject, which a runner's permissions can name.
func (c *Conn) piece(ctx context.Context, subject string) ([]byte, error) {
	m, err := c.newest(ctx, blobStream, subject)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

func (c *Conn) blobHead(ctx context.Context, path string) (*blobHead, error) {
	data, err := c.piece(ctx, headSubject(path))
	if err != nil {
		return nil, err
	}
	var h blobHead
	if err := json.Unmarshal(data, &h); err != nil || h.Pieces < 0 || h.Put == "" {
		return nil, fmt.Errorf("head is damaged: %w", err)
	}
	return &h, nil
}

// GetBlob implements Queue. The reader fails at the end when what came is not what was put.
func (c *Conn) GetBlob(ctx context.Context, name string) (io.ReadCloser, error) {
	path, err := escapePath(name)
	if err != nil {
		return nil, err
	}
	h, err := c.blobHead(ctx, path)
	if err != nil {
		return nil, c.blobErr(name, err)
	}
	return &blobReader{c: c, ctx: ctx, name: name, path: path, head: h, sum: sha256.New()}, nil
}

// DeleteBlob implements Queue. A blob that is not there is deleted already.
func (c *Conn) DeleteBlob(ctx context.Context, name string) error {
	path, err := escapePath(name)
	if err != nil {
		return err
	}
	h, err := c.blobHead(ctx, path)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return c.blobErr(name, err)
	}
	if err := c.purgeBlobs(ctx, headSubject(path)); err != nil { // head first: never a head without its pieces
		return c.blobErr(name, err)
	}
	if err := c.purgePieces(ctx, path, h.Put); err != nil {
		return c.blobErr(name, err)
	}
	return nil
}
