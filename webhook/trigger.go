package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gatebot/gatebot/internal/queue"
)

// Kind is what an event asks for.
type Kind string

// The kinds. Events only say "look again": the planner reads the present state before it acts.
const (
	KindNone   Kind = "none"   // nothing to do; Trigger.Reason says why
	KindCheck  Kind = "check"  // Head wants a verdict
	KindRerun  Kind = "rerun"  // somebody asked for another attempt
	KindCancel Kind = "cancel" // nobody waits for these verdicts any more
	KindLand   Kind = "land"   // the default branch moved: check its head, bring the fix log up to date
	// KindCommand is a comment that tells gatebot to do something, KindAction a button of a check run.
	KindCommand Kind = "command"
	KindAction  Kind = "action"
	KindSweep   Kind = "sweep" // look at everything that is open in the installation
)

// Trigger is one event in our own words.
type Trigger struct {
	Kind          Kind
	Event, Action string
	Reason        string // why there is nothing to do, or why to cancel
	Repo          queue.Repo
	Head, Base    string // commit ids; Base may be empty
	HeadRef       string // branch or full ref of Head, where to fetch it from
	BaseRef       string // branch
	PR            int
	Updated       time.Time // of the pull request, orders its events
	AppID         int64     // whose check run it is, for reruns
	ExternalID    string    // of the check run, for reruns
	Sender        string    // login
	Approved      bool      // the re-run follows an approval, which is limited by nothing
	Comment       int64     // id, for commands
	Command       Command
}

// ErrUnknownEvent is an event that gatebot has no use for. Not a mistake of anybody's.
var ErrUnknownEvent = errors.New("unknown event")

// RefusedError is a payload of a known event that cannot be used.
type RefusedError struct{ Event, Reason string }

func (e *RefusedError) Error() string { return e.Event + " event refused: " + e.Reason }

// parsers has one entry per event, each in its own file.
var parsers = map[string]func([]byte) (Trigger, error){
	"pull_request": parsePullRequest,
	"push":         parsePush,
	"check_run":    parseCheckRun,
	"check_suite":  parseCheckSuite,
	"merge_group":  parseMergeGroup,
	"ping":         parsePing,

	"issue_comment":             parseIssueComment,
	"installation":              parseInstallation,
	"installation_repositories": parseInstallationRepositories,
}

// Known reports whether gatebot handles this event.
func Known(event string) bool { return parsers[event] != nil }

// Parse turns a payload into a Trigger, or says ErrUnknownEvent, or refuses with a *RefusedError. Fields that a payload
// lacks are refused only where the trigger needs them.
func Parse(event string, payload []byte) (Trigger, error) { return parseEvent(event, payload, true) }

// parseEvent is Parse; an event of a repository's own webhook, which names no installation, is taken when asApp is false.
func parseEvent(event string, payload []byte, asApp bool) (Trigger, error) {
	parse := parsers[event]
	if parse == nil {
		return Trigger{}, fmt.Errorf("%w %q", ErrUnknownEvent, event)
	}
	t, err := parse(payload)
	if err != nil {
		return Trigger{}, &RefusedError{Event: event, Reason: err.Error()}
	}
	t.Event = event
	if t.Kind == KindNone {
		return t, nil
	}
	if err := t.check(asApp); err != nil {
		return Trigger{}, &RefusedError{Event: event, Reason: err.Error()}
	}
	return t, nil
}

// decode reads the part of a payload that we know.
func decode(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	return nil
}

// nothing is a Trigger that says why there is nothing to do.
func nothing(action, format string, args ...any) (Trigger, error) {
	return Trigger{Kind: KindNone, Action: action, Reason: fmt.Sprintf(format, args...)}, nil
}
