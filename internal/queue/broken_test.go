package queue_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

func taken(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// fill publishes until the store refuses, each time within the timeout.
func fill(t *testing.T, q queue.Queue, s queue.Stream, size, most int) error {
	t.Helper()
	for i := range most {
		start := time.Now()
		_, err := q.Publish(context.Background(), s, "", fmt.Sprint("fill-", i), noise(size))
		if took := time.Since(start); took > patience {
			t.Fatalf("publish took %s", took)
		}
		if err != nil {
			return err
		}
	}
	t.Fatalf("%d messages of %d bytes were all taken", most, size)
	return nil
}

// TestFull: a full stream refuses and says so; what was read makes room for what comes, what was not read stays.
func TestFull(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := openTest(t, queue.EmbeddedOptions{MaxBytes: queue.MinMaxBytes})
	if err := fill(t, s, queue.Events, 256<<10, 100); !errors.Is(err, queue.ErrFull) {
		t.Fatalf("full store: %v, want ErrFull", err)
	}
	if _, err := s.Create(ctx, queue.BucketJobs, "k", []byte("v")); err != nil {
		t.Errorf("records do not work while events are full: %v", err)
	}
	c := queue.Consumer{Name: "a", Lease: 10 * time.Second}
	for i := range 20 {
		m, err := s.Next(ctx, queue.Events, c)
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		if err := m.Ack(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Publish(ctx, queue.Events, "", "after", noise(256<<10)); err != nil {
		t.Errorf("publish after some was read: %v", err)
	}
	if m, err := s.Next(ctx, queue.Events, c); err != nil || m.Deliveries() != 1 {
		t.Errorf("the first unread message is gone: %v", err)
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	s := openTest(t, queue.EmbeddedOptions{})
	for _, size := range []int{9 << 20, 65 << 20} {
		if _, err := s.Publish(context.Background(), queue.Events, "", "", noise(size)); !errors.Is(err, queue.ErrTooLarge) {
			t.Errorf("%d bytes: %v, want ErrTooLarge", size, err)
		}
	}
}

// TestDiskFull fills a real file system. The store answers with errors, and works again when there is room.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("gatebot-test", dir, "tmpfs", 0, "size=12m"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() {
		for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) { // a closed store may still write for a moment
			err := syscall.Unmount(dir, 0)
			if err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
		}
	})
	queue.SetReviveEvery(t, 200*time.Millisecond)
	ballast := dir + "/ballast"
	if err := os.WriteFile(ballast, noise(6<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, queue.EmbeddedOptions{Dir: dir, Timeout: 10 * time.Second, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	mustPublish(t, s, queue.Results, "r", "kept")
	err := fill(t, s, queue.Events, 200<<10, 100)
	t.Logf("full disk: %v", err)
	if !errors.Is(err, queue.ErrFull) && !errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("full disk: %v, want ErrFull or ErrUnavailable", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	var last error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if _, last = s.Publish(context.Background(), queue.Events, "", "room again", []byte("x")); last == nil {
			break
		}
	}
	if last != nil {
		t.Fatalf("after making room: %v", last)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if m, err := s.Next(ctx, queue.Results, queue.Consumer{Name: "a"}); err != nil || string(m.Data()) != "kept" {
		t.Errorf("what was stored before: %v, %v", m, err)
	}
}
