package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What is kept, and for how long. The dedupe window covers what may come again: GitHub's own retries of an event within
// minutes, a runner's result after a day offline. JetStream rebuilds the window from stored messages after a restart,
// so an acknowledged job's id is forgotten by a restart: the job record is what makes a job unique, not the window.
const (
	eventsAge     = 7 * 24 * time.Hour
	resultsAge    = 30 * 24 * time.Hour
	blobsAge      = 7 * 24 * time.Hour
	eventsWindow  = 10 * time.Minute
	resultsWindow = 24 * time.Hour
	jobsWindow    = 24 * time.Hour
	markerAge     = time.Hour // how long a deleted record is remembered as deleted
)

// MaxPayload is the largest message of the embedded server in bytes; 8 MiB is the most that JetStream is tuned for.
// Data is compressed above 64 KiB, so GitHub's 25 MiB events fit.
const MaxPayload = 8 << 20

// DefaultMaxBytes is the size of the whole store when nothing else is said.
const DefaultMaxBytes = 8 << 30

const (
	blobStream     = "BLOBS"
	advisoryStream = "ADVISORIES"
	// Exhausted deliveries are announced on the core bus only; a stream keeps them for a server that is down.
	advisorySubject = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.>"
)

// subjectPrefix is the first token of a stream's subjects.
func subjectPrefix(s Stream) (string, error) {
	switch s {
	case Events:
		return "events", nil
	case Jobs:
		return "jobs", nil
	case Results:
		return "results", nil
	}
	return "", fmt.Errorf("queue: no stream %q (use queue.Events, Jobs or Results)", s)
}

// MinMaxBytes is the smallest store that has room for every stream.
const MinMaxBytes = 64 << 20

// percent of n, at least 1 MiB so that no stream is unusable.
func percent(n int64, p int64) int64 { return max(n/100*p, 1<<20) }

// streams lists every stream of a store of maxBytes bytes. A full stream refuses new messages instead of dropping old
// ones: dropping would lose what nobody has read yet.
func streams(maxBytes int64, replicas int) []jetstream.StreamConfig {
	base := func(name, subjects, about string, share int64) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Subjects: []string{subjects}, Description: about, Storage: jetstream.FileStorage,
			Discard: jetstream.DiscardNew, MaxBytes: percent(maxBytes, share), Replicas: replicas,
		}
	}
	events := base(string(Events), "events.>", "webhooks as they came", 30)
	events.MaxAge, events.Duplicates = eventsAge, eventsWindow
	jobs := base(string(Jobs), "jobs.>", "one message per job and pool", 5)
	jobs.Retention, jobs.Duplicates = jetstream.WorkQueuePolicy, jobsWindow
	results := base(string(Results), "results.>", "what runners sent back", 20)
	results.MaxAge, results.Duplicates = resultsAge, resultsWindow
	blobs := base(blobStream, "blobs.>", "bundles in pieces", 30)
	blobs.MaxAge, blobs.MaxMsgsPerSubject, blobs.AllowDirect = blobsAge, 1, true
	jobs.RePublish = &jetstream.RePublish{Source: "jobs.>", Destination: bellPrefix + ".>", HeadersOnly: true}
	notes := base(noteStream, "notes.>", "logs and states of developers' jobs, and how runners are", 3)
	notes.MaxAge, notes.MaxMsgsPerSubject, notes.AllowDirect, notes.Discard = notesAge, 1, true, jetstream.DiscardOld
	grants := base(grantStream, "grants.>", "newest lease of each job", 1)
	grants.MaxAge, grants.MaxMsgsPerSubject, grants.AllowDirect, grants.Discard = grantsAge, 1, true, jetstream.DiscardOld
	adv := base(advisoryStream, advisorySubject, "jobs that no runner finished", 1)
	adv.Retention = jetstream.WorkQueuePolicy
	return []jetstream.StreamConfig{events, jobs, results, blobs, notes, grants, adv}
}

// build creates what is missing and brings the rest up to date.
func (c *Conn) build(ctx context.Context) error {
	for _, s := range streams(c.opts.MaxBytes, c.opts.Replicas) {
		err := c.settle(ctx, func(ctx context.Context) error {
			_, err := c.js.CreateOrUpdateStream(ctx, s)
			return c.classify(err)
		})
		if err != nil {
			return fmt.Errorf("queue: stream %s: %w", s.Name, err)
		}
	}
	for _, b := range []string{BucketJobs, BucketLeases, BucketFixLog, BucketHeads} {
		err := c.settle(ctx, func(ctx context.Context) error {
			kv, err := c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
				Bucket: b, History: 1, Storage: jetstream.FileStorage, MaxBytes: percent(c.opts.MaxBytes, 2),
				Replicas: c.opts.Replicas, LimitMarkerTTL: markerAge,
			})
			c.buckets[b] = kv
			return c.classify(err)
		})
		if err != nil {
			return fmt.Errorf("queue: bucket %s: %w", b, err)
		}
	}
	return nil
}

// Leases of jobs: a runner beats every quarter of the lease, and a job that three runners in turn did not finish is
// reported by Exhausted.
const (
	JobLease      = 60 * time.Second
	JobMaxDeliver = 3
	jobsInFlight  = 1024 // all runners of a pool share one consumer; reaching this stops delivery without a word
)

// JobConsumer is the consumer that all runners of a pool share.
func JobConsumer(pool string) Consumer {
	return Consumer{Name: "pool-" + pool, Sub: pool, Lease: JobLease, MaxDeliver: JobMaxDeliver, MaxInFlight: jobsInFlight}
}

// BundleName is the name under which the bundle of a job for pool is stored: a runner may read its own pools' only.
func BundleName(pool, key string) string { return "bundles/" + pool + "/" + key }
