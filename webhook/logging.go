package webhook

import (
	"context"
	"log/slog"

	"github.com/gatebot/gatebot/internal/queue"
)

type deliveryKey struct{}

type delivery struct{ id, event string }

// withDelivery marks everything that is logged under ctx with the event it comes from.
func withDelivery(ctx context.Context, ev queue.Event) context.Context {
	return context.WithValue(ctx, deliveryKey{}, delivery{ev.Delivery, ev.Type})
}

// logHandler adds the delivery of a context to its log lines.
type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if d, ok := ctx.Value(deliveryKey{}).(delivery); ok {
		r.AddAttrs(slog.String("delivery", d.id), slog.String("event", d.event))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(as []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(as)}
}

func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
