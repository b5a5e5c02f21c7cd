package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// auditLog is who decided what, one JSON object a line, each on disk before the decision has its effect. It is only ever
// appended to; the log of the process is for operators, this is for whoever asks later.
type auditLog struct {
	mu   sync.Mutex
	file *os.File
}

func openAudit(name string) (*auditLog, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("audit trail: %w", err)
	}
	return &auditLog{file: f}, nil
}

func (a *auditLog) write(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := a.file.Write(append(line, '\n'))
	return errors.Join(err, a.file.Sync())
}

func (a *auditLog) close() error {
	if a == nil {
		return nil
	}
	return a.file.Close()
}

// audit notes a decision; pairs are as for slog. When it cannot be written the log of the process says so loudly: a full
// disk must not close the gate for everybody.
func (p *planner) audit(ctx context.Context, what string, pairs ...any) {
	p.log.InfoContext(ctx, what, pairs...)
	if p.trail == nil {
		return
	}
	entry := map[string]any{"at": p.now().UTC().Format(time.RFC3339Nano), "what": what}
	if d, ok := ctx.Value(deliveryKey{}).(delivery); ok {
		entry["delivery"], entry["event"] = d.id, d.event
	}
	var rec slog.Record
	rec.Add(pairs...)
	rec.Attrs(func(a slog.Attr) bool {
		if v := a.Value.Any(); v != nil && a.Value.String() != "" {
			entry[a.Key] = v
		}
		return true
	})
	line, err := json.Marshal(entry)
	if err == nil {
		err = p.trail.write(line)
	}
	if err != nil {
		p.log.ErrorContext(ctx, "audit trail not written", "error", err, "what", what)
	}
}
