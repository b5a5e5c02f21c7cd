package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gatebot/gatebot/internal/outside"
	"github.com/gatebot/gatebot/webhook"
)

// example is one of GitHub's published webhook payloads.
type example struct {
	event   string
	n       int
	payload json.RawMessage
}

func (e example) String() string { return fmt.Sprintf("%s #%d", e.event, e.n) }

func published(t *testing.T) []example {
	t.Helper()
	var events []struct {
		Name     string
		Examples []json.RawMessage
	}
	if err := json.Unmarshal(outside.WebhookExamples(t), &events); err != nil {
		t.Fatal(err)
	}
	var all []example
	for _, e := range events {
		for i, payload := range e.Examples {
			all = append(all, example{e.Name, i, payload})
		}
	}
	return all
}

// TestPublishedExamplesParse: each of GitHub's examples is understood, or unknown by its event's name, or refused with
// a reason that names what is missing.
func TestPublishedExamplesParse(t *testing.T) {
	counts := map[string]int{}
	for _, e := range published(t) {
		trigger, err := webhook.Parse(e.event, e.payload)
		var refused *webhook.RefusedError
		switch {
		case err == nil && trigger.Kind == webhook.KindNone:
			if trigger.Reason == "" {
				t.Errorf("%s: nothing to do, and no reason why", e)
			}
			counts[e.event+": nothing to do"]++
		case err == nil:
			counts[e.event+": "+string(trigger.Kind)]++
		case errors.Is(err, webhook.ErrUnknownEvent):
			if webhook.Known(e.event) {
				t.Errorf("%s: unknown, but Known says otherwise", e)
			}
			counts["unknown events"]++
		case errors.As(err, &refused):
			if !strings.Contains(err.Error(), "missing") {
				t.Errorf("%s: refused as %q, which names nothing that is missing", e, err)
			}
			counts[e.event+": refused, "+refused.Reason]++
		default:
			t.Errorf("%s: an error of no known kind: %v", e, err)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[k], k)
	}
	for _, want := range []string{"pull_request: check", "check_run: rerun", "merge_group: check", "ping: nothing to do", "unknown events"} {
		if counts[want] == 0 {
			t.Errorf("no example came out as %q", want)
		}
	}
}
