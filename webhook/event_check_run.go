package webhook

import "errors"

type checkRunEvent struct {
	common
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

// parseCheckRun reacts to the Re-run button of one run. Created and completed are echoes of what we did ourselves.
func parseCheckRun(payload []byte) (Trigger, error) {
	var e checkRunEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	switch e.Action {
	case "rerequested":
	case "":
		return Trigger{}, errors.New("action is missing")
	default:
		return nothing(e.Action, "action %s asks for nothing", e.Action)
	}
	t := e.trigger(KindRerun)
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
