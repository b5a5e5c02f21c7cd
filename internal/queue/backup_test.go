package queue_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/queue"
)

// TestBackupAndRestore: records, blobs and messages that nobody has read are there again, in another directory.
func TestBackupAndRestore(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "queue")
	open := func(dir string) *queue.Server {
		t.Helper()
		s, err := queue.OpenEmbedded(ctx, queue.EmbeddedOptions{Dir: dir, Pools: []string{"p"}, MaxBytes: queue.MinMaxBytes, Start: patience, Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(dir)
	_, err := s.Create(ctx, queue.BucketFixLog, "ledger/1", []byte("rows"))
	if _, perr := s.Publish(ctx, queue.Jobs, "p", "job-1", []byte("job")); err != nil || perr != nil {
		t.Fatal(err, perr)
	}
	if err := s.PutBlob(ctx, "bundles/p/x", strings.NewReader("bundle")); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := queue.Backup(ctx, dir, &b); !errors.Is(err, queue.ErrLocked) {
		t.Fatalf("backup of a store in use: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := queue.Backup(ctx, dir, &b); err != nil {
		t.Fatal(err)
	}
	if err := queue.Restore(ctx, dir, bytes.NewReader(b.Bytes())); err == nil {
		t.Error("restored over a store that was there")
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := queue.Restore(ctx, other, bytes.NewReader(b.Bytes()[:b.Len()/2])); err == nil {
		t.Error("half a backup was taken for a whole one")
	}
	if err := queue.Restore(ctx, other, bytes.NewReader(b.Bytes())); err != nil {
		t.Fatal(err)
	}
	s = open(other)
	defer func() { _ = s.Close() }()
	if rec, err := s.Get(ctx, queue.BucketFixLog, "ledger/1"); err != nil || string(rec.Value) != "rows" {
		t.Errorf("record %q, %v", rec.Value, err)
	}
	if m, err := s.Next(ctx, queue.Jobs, queue.JobConsumer("p")); err != nil || string(m.Data()) != "job" {
		t.Errorf("job: %v", err)
	}
	blob, err := s.GetBlob(ctx, "bundles/p/x")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(blob); err != nil || string(data) != "bundle" {
		t.Errorf("blob %q, %v", data, err)
	}
}
