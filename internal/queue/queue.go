// Package queue is gatebot's durable queue: streams of events, jobs and results, small keyed records with
// compare-and-swap, and blobs. It is NATS JetStream, embedded in `gatebot serve` or reached by URL, and the only
// importer of NATS. Handlers must be idempotent and acknowledge last: every message may come twice.
package queue

import (
	"context"
	"errors"
	"io"
	"time"
)

// Stream names a durable stream. Jobs is a work queue (a message goes away when it is acknowledged), the others keep
// what they have for a while.
type Stream string

// The streams and how long each keeps its messages.
const (
	Events  Stream = "EVENTS"  // raw webhooks, 7 days
	Jobs    Stream = "JOBS"    // work queue, one subject per pool
	Results Stream = "RESULTS" // 30 days
)

// Names of the record buckets.
const (
	BucketJobs   = "jobs"   // job key → JobRecord
	BucketLeases = "leases" // what one server does at a time → who does it (of jobs: see Grants)
	BucketFixLog = "fixlog" // repository → ledger
	BucketHeads  = "heads"  // pull request → newest head
)

// Errors that callers tell apart.
var (
	ErrExists   = errors.New("record exists")
	ErrConflict = errors.New("record changed meanwhile")
	ErrNotFound = errors.New("no such record")
	ErrClosed   = errors.New("queue closed")
)

// Queue is a connection to the durable queue. All methods are safe for concurrent use; an error wraps the cause and
// means that nothing is promised about the write.
type Queue interface {
	// Publish appends data under stream and sub-subject (such as a pool) and returns when it is on disk. A message
	// with an id already seen within the stream's window is stored once; duplicate says so.
	Publish(ctx context.Context, s Stream, sub, id string, data []byte) (duplicate bool, err error)
	// Next waits for the next message of the durable consumer and leases it for lease; it returns ctx.Err() when ctx
	// ends. The consumer is created on first use and remembers its place across restarts.
	Next(ctx context.Context, s Stream, consumer Consumer) (Message, error)

	Get(ctx context.Context, bucket, key string) (Record, error)                                   // or ErrNotFound
	Create(ctx context.Context, bucket, key string, value []byte) (revision uint64, err error)     // or ErrExists
	Update(ctx context.Context, bucket, key string, value []byte, revision uint64) (uint64, error) // or ErrConflict
	Keys(ctx context.Context, bucket string) ([]string, error)                                     // sorted
	Delete(ctx context.Context, bucket, key string) error

	PutBlob(ctx context.Context, name string, r io.Reader) error
	GetBlob(ctx context.Context, name string) (io.ReadCloser, error) // or ErrNotFound
	DeleteBlob(ctx context.Context, name string) error

	Close() error
}

// Record is one value of a bucket with the revision that Update wants.
type Record struct {
	Value    []byte
	Revision uint64
}

// Consumer is a durable reader of a stream.
type Consumer struct {
	Name        string        // unique within the stream
	Sub         string        // sub-subject filter, empty for all
	Lease       time.Duration // a message neither acknowledged nor extended for this long is delivered again
	MaxDeliver  int           // 0: for ever
	MaxInFlight int           // 0: the default of 1
}

// Message is one leased message.
type Message interface {
	Data() []byte
	Sub() string
	Deliveries() int                               // 1 on the first delivery; it may repeat after a crash of the server, see Grants
	Extend() error                                 // heart-beat: the lease starts anew
	Ack(ctx context.Context) error                 // done; returns when the server has confirmed it
	Retry(delay time.Duration) error               // deliver again after delay
	Drop(ctx context.Context, reason string) error // never deliver again
}
