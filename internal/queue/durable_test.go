package queue_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

const (
	publisherEnv = "GATEBOT_TEST_PUBLISHER"
	claimerEnv   = "GATEBOT_TEST_CLAIMER"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(publisherEnv); dir != "" {
		publishForever(dir)
	}
	if dir := os.Getenv(claimerEnv); dir != "" {
		claimForever(dir)
	}
	os.Exit(m.Run())
}

// publishForever prints the number of each event after its Publish returned, until it is killed.
func publishForever(dir string) {
	s, err := queue.OpenEmbedded(context.Background(), queue.EmbeddedOptions{Dir: dir, Start: patience, Timeout: patience})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		if _, err := s.Publish(context.Background(), queue.Events, "push", fmt.Sprint(i), fmt.Append(nil, i)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

// claimForever prints the number of each grant after it was given, until it is killed.
func claimForever(dir string) {
	s, err := queue.OpenEmbedded(context.Background(), queue.EmbeddedOptions{Dir: dir, Start: patience, Timeout: patience})
	for err == nil {
		var g queue.Grant
		if g, err = s.Claim(context.Background(), "p", "", "j", "r"); err == nil {
			fmt.Println(g.Epoch)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

// TestGrantsKill9: a number that was given is never given again, whenever the server dies.
func TestGrantsKill9(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	given := 0
	for round := range 3 {
		last := killPublisher(t, claimerEnv, dir, given+40)
		s := openTest(t, queue.EmbeddedOptions{Dir: dir})
		g, err := s.Claim(context.Background(), "p", "", "j", "r")
		if err != nil || g.Epoch <= last {
			t.Errorf("round %d: number %d after %d was given: %v", round, g.Epoch, last, err)
		}
		given = g.Epoch
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKill9 kills a publishing process and finds every event that it was told is stored.
func TestKill9(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 2 {
		want := killPublisher(t, publisherEnv, dir, 100*(round+1))
		s := openTest(t, queue.EmbeddedOptions{Dir: dir})
		c := queue.Consumer{Name: fmt.Sprint("round-", round), Lease: 10 * time.Second, MaxInFlight: 100}
		seen := map[string]bool{}
		for len(seen) <= want {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			m, err := s.Next(ctx, queue.Events, c)
			cancel()
			if err != nil {
				t.Fatalf("round %d: %d events are there, %d were acknowledged: %v", round, len(seen), want+1, err)
			}
			seen[string(m.Data())] = true
			if err := m.Ack(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for i := range want + 1 {
			if !seen[fmt.Sprint(i)] {
				t.Errorf("round %d: event %d was acknowledged and is gone", round, i)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killPublisher returns the last number that a process said before it was killed, which is after at least.
func killPublisher(t *testing.T, env, dir string, after int) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last := -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var n int
		if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
			t.Fatalf("publisher said %q", lines.Text())
		}
		if last = n; n >= after { // killed again and again, should it be said more
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	if last < after {
		t.Fatalf("publisher ended by itself after %d events", last)
	}
	return last
}

// TestRestart closes the store and opens it again: everything is still there, and so is everyone's place.
func TestRestart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	s := openTest(t, queue.EmbeddedOptions{Dir: dir})
	c := queue.Consumer{Name: "a", Lease: 300 * time.Millisecond}
	for i := range 3 {
		mustPublish(t, s, queue.Events, "", fmt.Sprint(i))
		mustPublish(t, s, queue.Jobs, "p", fmt.Sprint(i))
	}
	if m, err := s.Next(ctx, queue.Events, c); err != nil || m.Ack(ctx) != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(ctx, queue.Jobs, c); err != nil { // leased, and never heard of again
		t.Fatal(err)
	}
	rev, err := s.Create(ctx, queue.BucketJobs, "k", []byte("v"))
	if err != nil {
		t.Fatal(err)
	}
	blob := bytes.Repeat([]byte("x"), 2<<20)
	if err := s.PutBlob(ctx, "bundles/p/k", bytes.NewReader(blob)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = openTest(t, queue.EmbeddedOptions{Dir: dir})
	if dup, err := s.Publish(ctx, queue.Events, "", "2", []byte("2")); err != nil || !dup {
		t.Errorf("id after restart: duplicate = %v, %v", dup, err)
	}
	if m, err := s.Next(ctx, queue.Events, c); err != nil || string(m.Data()) != "1" {
		t.Errorf("event after restart: %v, %v", m, err)
	}
	again := false
	for range 3 {
		m, err := s.Next(ctx, queue.Jobs, c)
		if err != nil {
			t.Fatal(err)
		}
		again = again || string(m.Data()) == "0" && m.Deliveries() >= 2
		if err := m.Ack(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if !again {
		t.Error("the job whose lease ran out over the restart did not come again as another delivery")
	}
	if r, err := s.Get(ctx, queue.BucketJobs, "k"); err != nil || string(r.Value) != "v" || r.Revision != rev {
		t.Errorf("record after restart: %q at %d, %v", r.Value, r.Revision, err)
	}
	r, err := s.GetBlob(ctx, "bundles/p/k")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, blob) {
		t.Errorf("blob after restart: %d bytes, %v", len(got), err)
	}
}

func TestSecondServerRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTest(t, queue.EmbeddedOptions{Dir: dir})
	if _, err := queue.OpenEmbedded(context.Background(), queue.EmbeddedOptions{Dir: dir}); !errors.Is(err, queue.ErrLocked) {
		t.Errorf("second server: %v, want ErrLocked", err)
	}
	mustPublish(t, s, queue.Events, "", "still works")
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	pub, _, err := queue.NewRunnerKey()
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]queue.EmbeddedOptions{
		"no directory":   {},
		"a file":         {Dir: file},
		"listen":         {Dir: t.TempDir(), Listen: "nowhere"},
		"port":           {Dir: t.TempDir(), Listen: "127.0.0.1:x"},
		"runner name":    {Dir: t.TempDir(), Runners: []queue.Runner{{Name: "a.b", Key: pub, Pools: []string{"p"}}}},
		"runner key":     {Dir: t.TempDir(), Runners: []queue.Runner{{Name: "a", Key: "U", Pools: []string{"p"}}}},
		"runner pools":   {Dir: t.TempDir(), Runners: []queue.Runner{{Name: "a", Key: pub}}},
		"runner pool":    {Dir: t.TempDir(), Runners: []queue.Runner{{Name: "a", Key: pub, Pools: []string{">"}}}},
		"two of a name":  {Dir: t.TempDir(), Runners: []queue.Runner{{Name: "a", Key: pub, Pools: []string{"p"}}, {Name: "a", Key: pub, Pools: []string{"p"}}}},
		"tls half given": {Dir: t.TempDir(), Listen: "127.0.0.1:0", TLS: queue.TLS{Cert: "c"}},
		"tls no file":    {Dir: t.TempDir(), Listen: "127.0.0.1:0", TLS: queue.TLS{Cert: "c", Key: "k"}},
		"taken port":     {Dir: t.TempDir(), Listen: taken(t), Start: time.Second},
	} {
		if s, err := queue.OpenEmbedded(context.Background(), o); err == nil {
			t.Errorf("%s: taken", name)
			_ = s.Close()
		}
	}
}

func mustPublish(t *testing.T, q queue.Queue, s queue.Stream, sub, data string) {
	t.Helper()
	if _, err := q.Publish(context.Background(), s, sub, data, []byte(data)); err != nil {
		t.Fatal(err)
	}
}
