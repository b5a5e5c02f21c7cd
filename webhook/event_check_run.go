package webhook

import "errors"

type checkRunEvent struct {
	common
	Requested struct {
		Identifier string `json:"identifier"`
	} `json:"requested_action"`
	CheckRun struct {
		HeadSHA    string      `json:"head_sha"`
		ExternalID string      `json:"external_id"`
		App        appOf       `json:"app"`
		Suite      suiteOf     `json:"check_suite"`
		Pulls      []pullOfRun `json:"pull_requests"`
	} `json:"check_run"`
}

type appOf struct {
	ID int64 `json:"id"`
}

type suiteOf struct {
	HeadBranch string `json:"head_branch"`
}

type pullOfRun struct {
	Number int   `json:"number"`
	Base   refOf `json:"base"`
}

// The buttons under a completed run. GitHub shows them to people with write access; who pressed one is looked up all the
// same.
const (
	actionApprove = "approve"
	actionRerun   = "rerun"
)

// parseCheckRun reacts to the Re-run button of one run and to our own. Created and completed are echoes of what we did ourselves.
func parseCheckRun(payload []byte) (Trigger, error) {
	var e checkRunEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	kind := KindRerun
	switch e.Action {
	case "rerequested":
	case "requested_action":
		kind = KindAction
		if id := e.Requested.Identifier; id != actionApprove && id != actionRerun {
			return nothing(e.Action, "no button of ours")
		}
	case "":
		return Trigger{}, errors.New("action is missing")
	default:
		return nothing(e.Action, "action %s asks for nothing", e.Action)
	}
	t := e.trigger(kind)
	if kind == KindAction {
		t.Action = e.Requested.Identifier
	}
	t.Head, t.ExternalID, t.AppID = e.CheckRun.HeadSHA, e.CheckRun.ExternalID, e.CheckRun.App.ID
	t.HeadRef = e.CheckRun.Suite.HeadBranch
	t.fromPulls(e.CheckRun.Pulls)
	return t, nil
}

// fromPulls takes the pull request when the event names one; for forks GitHub names none and the planner asks.
func (t *Trigger) fromPulls(pulls []pullOfRun) {
	if len(pulls) == 0 {
		return
	}
	t.PR, t.Base, t.BaseRef = pulls[0].Number, pulls[0].Base.SHA, pulls[0].Base.Ref
}
