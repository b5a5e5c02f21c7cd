package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gatebot/gatebot/checks"
	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/git"
	"github.com/gatebot/gatebot/internal/tree"
)

// vllm is a checkout of vLLM (VLLM_DIR) and its newest first-parent commits, oldest first: GATEBOT_COMMITS of them after
// the one that all begins with, or n. GATEBOT_INCLUDE, globs with commas between them, says what of it is looked at.
func vllm(tb testing.TB, n int) (git.Repository, *config.Config, []string) {
	tb.Helper()
	dir := os.Getenv("VLLM_DIR")
	if dir == "" {
		tb.Skip("NOT RUN: VLLM_DIR names no checkout of vLLM")
	}
	ctx := context.Background()
	repo, err := git.Open(ctx, dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = repo.Close() })
	if s := os.Getenv("GATEBOT_COMMITS"); s != "" {
		if n, err = strconv.Atoi(s); err != nil {
			tb.Fatal(err)
		}
	}
	cfg := config.Default()
	if s := os.Getenv("GATEBOT_INCLUDE"); s != "" {
		cfg.HotPath.Include = strings.Split(s, ",")
	}
	tip, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		tb.Fatal(err)
	}
	ids, err := repo.Commits(ctx, []string{tip}, nil, true)
	if err != nil {
		tb.Fatal(err)
	}
	ids = ids[:n+1]
	slices.Reverse(ids)
	return repo, cfg, ids
}

// BenchmarkCommits scans commits one after the other in one process, as the fix log does. The first one, which fills the
// memory, is not counted.
func BenchmarkCommits(b *testing.B) {
	repo, cfg, ids := vllm(b, 50)
	trees := NewTrees(repo)
	scan := func(id string) {
		if _, err := trees.Scan(context.Background(), id, cfg); err != nil {
			b.Fatal(err)
		}
	}
	scan(ids[0])
	for b.Loop() {
		for _, id := range ids[1:] {
			scan(id)
		}
	}
	b.ReportMetric(float64(b.N*(len(ids)-1))/b.Elapsed().Seconds(), "commits/s")
	trees.Keep()
}

// TestCommits: what a memory gives after many commits is what a scan without one gives, byte for byte. Every tenth commit
// is scanned both ways, and the memory goes through a file there.
func TestCommits(t *testing.T) {
	repo, cfg, ids := vllm(t, 60)
	t.Setenv(CacheEnv, filepath.Join(t.TempDir(), "cache"))
	ctx, now := context.Background(), time.Now()
	trees := NewTrees(repo)
	var took time.Duration
	for i, id := range ids {
		start := time.Now()
		got, err := trees.Scan(ctx, id, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if took += time.Since(start); i%10 != 0 {
			continue
		}
		opts := scanOptions(cfg, false)
		opts.Now = now
		want, err := checks.Scan(ctx, tree.NewCommit(repo, id), opts)
		if err != nil {
			t.Fatal(err)
		}
		a, err1 := json.Marshal(want.Findings)
		b, err2 := json.Marshal(got)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Fatalf("%.10s: %d findings without a memory, %d with one, and they differ", id, len(want.Findings), len(got))
		}
		t.Logf("%3d commits, %.10s: the same %d findings; %v with the memory so far", i, id, len(got), took)
		trees.Keep()
		trees = NewTrees(repo)
	}
}
