package queue

import (
	"fmt"
	"log/slog"
	"strings"
)

// serverLog passes on what the embedded server complains about. Notices (about thirty lines at each start) are
// dropped. When a store fails to write, the server tells nobody but its log: publishers would wait for an answer that
// never comes, so the line is also the signal.
type serverLog struct {
	log    *slog.Logger
	broken chan<- struct{}
}

// brokenWords mark the lines that mean "nothing is stored any more" (nats-server 2.15: stream.go setWriteErrLocked and
// processJetStreamMsg, jetstream_cluster.go, jetstream.go handleOutOfSpace).
var brokenWords = []string{"critical write error", "failed to store a msg", "disabling JetStream", "will be DISABLED"}

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

func (l *serverLog) Warnf(format string, v ...any) {
	line := l.signal(fmt.Sprintf(format, v...))
	l.log.Warn("queue: " + line)
}

func (l *serverLog) Errorf(format string, v ...any) {
	line := l.signal(fmt.Sprintf(format, v...))
	l.log.Error("queue: " + line)
}

func (l *serverLog) Fatalf(format string, v ...any) { l.Errorf(format, v...) }

func (l *serverLog) signal(line string) string {
	for _, w := range brokenWords {
		if strings.Contains(line, w) {
			select {
			case l.broken <- struct{}{}:
			default:
			}
		}
	}
	return line
}
