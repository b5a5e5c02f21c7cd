package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// A runner that was killed in the middle of a job gives the job back when it starts again, instead of leaving it to
// the lease. What the queue needs for that is kept in one file, for there is one job at a time; the file's time is that
// of the last heart-beat. Losing it costs the rest of a lease and nothing else, so it is not synced.
type held struct {
	Token string        `json:"token"`
	Lease time.Duration `json:"lease"`
}

func (w *workDir) heldName() string { return filepath.Join(filepath.Dir(w.attempts), "held.json") }

func (w *workDir) hold(m queue.Message, lease time.Duration, log *slog.Logger) {
	t, ok := m.(interface{ Token() string })
	if !ok {
		return
	}
	data, err := json.Marshal(held{Token: t.Token(), Lease: lease})
	if err == nil {
		err = os.WriteFile(w.heldName(), data, 0o600)
	}
	if err != nil {
		log.Warn("runner: lease not noted", "error", err)
	}
}

// stillHeld and letGo may fail: what they leave is an older note, or one about a job that is done with.
func (w *workDir) stillHeld() {
	now := time.Now()
	_ = os.Chtimes(w.heldName(), now, now)
}

func (w *workDir) letGo() { _ = os.Remove(w.heldName()) }

// release gives back what an earlier run held, while its lease surely still runs: later it may be another runner's.
func (r *runner) release(ctx context.Context) {
	defer r.work.letGo()
	data, err := os.ReadFile(r.work.heldName())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var h held
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	info, serr := os.Stat(r.work.heldName())
	if err = errors.Join(err, serr); err != nil {
		r.log.Warn("runner: note of the job before the restart cannot be read", "error", err)
		return
	}
	q, ok := r.q.(interface {
		Release(ctx context.Context, token string) error
	})
	age := time.Since(info.ModTime())
	if !ok || age < 0 || age > h.Lease/2 {
		return // it comes again by itself soon
	}
	ctx, cancel := context.WithTimeout(ctx, max(h.Lease/4, time.Second))
	defer cancel()
	if err := q.Release(ctx, h.Token); err != nil {
		r.log.Warn("runner: job of before the restart not given back, its lease must run out", "error", err)
		return
	}
	r.log.Info("runner: gave back the job of before the restart")
}
