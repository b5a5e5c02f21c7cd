package queue

import (
	"fmt"
	"log/slog"
)

// serverLog passes on what the embedded server complains about. Notices (about thirty lines at each start) are dropped.
type serverLog struct{ log *slog.Logger }

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

func (l *serverLog) Warnf(format string, v ...any) { l.log.Warn("queue: " + fmt.Sprintf(format, v...)) }
func (l *serverLog) Errorf(format string, v ...any) {
	l.log.Error("queue: " + fmt.Sprintf(format, v...))
}
func (l *serverLog) Fatalf(format string, v ...any) {
	l.log.Error("queue: " + fmt.Sprintf(format, v...))
}
