package webhook

import (
	"encoding/json"
	"errors"
	"time"
)

type pullRequestEvent struct {
	common
	Number      int `json:"number"`
	PullRequest struct {
		Number    int       `json:"number"`
		State     string    `json:"state"`
		Draft     bool      `json:"draft"`
		Merged    bool      `json:"merged"`
		UpdatedAt time.Time `json:"updated_at"`
		Head      refOf     `json:"head"`
		Base      refOf     `json:"base"`
	} `json:"pull_request"`
	Changes struct {
		Base json.RawMessage `json:"base"`
	} `json:"changes"`
}

type refOf struct {
	Ref string `json:"ref"`
	SHA string `json:"sha"`
}

// parsePullRequest asks for a verdict whenever the head or what it is compared with may be new. Drafts get none until
// they are ready; a closed pull request needs none any more.
func parsePullRequest(payload []byte) (Trigger, error) {
	var e pullRequestEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	switch e.Action {
	case "opened", "synchronize", "reopened", "ready_for_review":
	case "edited":
		if len(e.Changes.Base) == 0 || string(e.Changes.Base) == "null" {
			return nothing(e.Action, "edited without a new base")
		}
	case "closed":
	case "":
		return Trigger{}, errors.New("action is missing")
	default:
		return nothing(e.Action, "action %s changes neither head nor base", e.Action)
	}
	t := e.trigger(KindCheck)
	t.PR, t.Updated = max(e.Number, e.PullRequest.Number), e.PullRequest.UpdatedAt
	if t.PR <= 0 {
		return Trigger{}, errors.New("number is missing")
	}
	t.Head, t.HeadRef = e.PullRequest.Head.SHA, e.PullRequest.Head.Ref
	t.Base, t.BaseRef = e.PullRequest.Base.SHA, e.PullRequest.Base.Ref
	switch {
	case e.Action == "closed":
		t.Kind, t.Reason = KindCancel, "the pull request was closed"
		if e.PullRequest.Merged {
			t.Reason = "the pull request was merged"
		}
	case t.BaseRef == "" || t.Base == "":
		return Trigger{}, errors.New("pull_request.base is missing")
	case e.PullRequest.Draft:
		return nothing(e.Action, "draft: checked when it is ready for review")
	case e.PullRequest.State == "closed":
		return nothing(e.Action, "the pull request is closed")
	}
	return t, nil
}
