package webhook

import "errors"

type checkSuiteEvent struct {
	common
	CheckSuite struct {
		HeadSHA    string      `json:"head_sha"`
		HeadBranch string      `json:"head_branch"`
		App        appOf       `json:"app"`
		Pulls      []pullOfRun `json:"pull_requests"`
	} `json:"check_suite"`
}

// parseCheckSuite reacts to "Re-run all checks". A requested suite needs no answer: it comes with every push to any
// branch, and pull requests and the default branch have events of their own.
func parseCheckSuite(payload []byte) (Trigger, error) {
	var e checkSuiteEvent
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
	t.Head, t.HeadRef, t.AppID = e.CheckSuite.HeadSHA, e.CheckSuite.HeadBranch, e.CheckSuite.App.ID
	t.fromPulls(e.CheckSuite.Pulls)
	return t, nil
}
