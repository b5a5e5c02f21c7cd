package runner

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// progressEvery is how often the server hears how far a job is, at most: for the page that people look at.
const progressEvery = time.Second

// gateLog is how many bytes of the log of a job of the server's own go out while it runs. A developer's script may send
// MaxLog: somebody looks at that.
const gateLog = 1 << 20

// reporter says how far a job is, and sends its log, while it runs.
type reporter struct {
	*leased
	stream *stream
	file   string // that gatebot check writes; empty: a script, which says nothing

	now queue.Progress // of run until it has ended, then of close

	done, ended chan struct{}
}

// report begins to say how far the job in dir is. Its output is to be given to the stream.
func (l *leased) report(ctx context.Context, dir string, limit int64) *reporter {
	p := &reporter{leased: l, stream: l.newStream(ctx, limit), file: progressFile(dir), done: make(chan struct{}), ended: make(chan struct{})}
	p.now = queue.Progress{Epoch: l.epoch(), Runner: l.Name, Phase: "checkout"}
	go p.run(ctx)
	return p
}

// progressFile is where gatebot check says how far it is.
func progressFile(dir string) string { return filepath.Join(dir, "out", "progress.json") }

func (p *reporter) run(ctx context.Context) {
	defer close(p.ended)
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	var told queue.Progress
	for {
		p.look()
		now := p.now
		now.Pieces = p.stream.sent()
		if now != told && p.put(ctx, now) {
			told = now
		}
		select {
		case <-p.done:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// close sends the rest of the log, and that nothing more comes.
func (p *reporter) close(ctx context.Context) (pieces int) {
	p.stream.close()
	close(p.done)
	<-p.ended
	ctx, cancel := outlast(ctx, lastTry)
	defer cancel()
	p.look()
	p.now.Pieces, p.now.Ended = p.stream.sent(), true
	p.put(ctx, p.now)
	return p.now.Pieces
}

func (p *reporter) put(ctx context.Context, now queue.Progress) bool {
	now.At = time.Now().UTC()
	err := queue.PutProgress(ctx, p.notes, p.pool, p.client, p.id, now)
	if err != nil && ctx.Err() == nil {
		p.log.Debug("runner: progress not sent", "job", p.id, "error", err) // the connection says why
	}
	return err == nil
}

// maxProgress is far above any progress file.
const maxProgress = 4 << 10

// look reads what gatebot check says. The file lies where a job without a sandbox can write: it is shown, never believed.
func (p *reporter) look() {
	data, err := readLimited(p.file, maxProgress)
	if err != nil {
		return // there is none yet, or never
	}
	if s, ok := parseProgress(data); ok {
		p.now.Phase, p.now.Unit, p.now.Done, p.now.Total = s.Phase, s.Unit, s.Done, s.Total
	}
}

// parseProgress takes words and counts, and nothing else.
func parseProgress(data []byte) (s queue.Progress, ok bool) {
	var in struct {
		Phase string `json:"phase"`
		Unit  string `json:"unit"`
		Done  int    `json:"done"`
		Total int    `json:"total"`
	}
	if json.Unmarshal(data, &in) != nil || in.Phase == "" || !word(in.Phase) || !word(in.Unit) || in.Done < 0 || in.Total < 0 {
		return s, false
	}
	return queue.Progress{Phase: in.Phase, Unit: in.Unit, Done: in.Done, Total: in.Total}, true
}

func word(s string) bool {
	return len(s) <= 40 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_ ") == ""
}
