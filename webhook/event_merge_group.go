package webhook

import (
	"errors"
	"strings"
)

// mergeGroupEvent has reason, which go-github v60 does not know: merged, invalidated or dequeued.
type mergeGroupEvent struct {
	common
	Reason     string `json:"reason"`
	MergeGroup struct {
		HeadSHA string `json:"head_sha"`
		HeadRef string `json:"head_ref"`
		BaseSHA string `json:"base_sha"`
		BaseRef string `json:"base_ref"`
	} `json:"merge_group"`
}

// parseMergeGroup asks for a verdict on the group's own head: those of its pull requests do not count in the queue.
func parseMergeGroup(payload []byte) (Trigger, error) {
	var e mergeGroupEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	switch e.Action {
	case "checks_requested", "destroyed":
	case "":
		return Trigger{}, errors.New("action is missing")
	default:
		return nothing(e.Action, "action %s asks for nothing", e.Action)
	}
	t := e.trigger(KindCheck)
	t.Head, t.HeadRef = e.MergeGroup.HeadSHA, e.MergeGroup.HeadRef
	t.Base, t.BaseRef = e.MergeGroup.BaseSHA, strings.TrimPrefix(e.MergeGroup.BaseRef, "refs/heads/")
	if e.Action == "destroyed" {
		if e.Reason == "merged" {
			return nothing(e.Action, "the group was merged")
		}
		t.Kind, t.Reason = KindCancel, "the merge group was "+e.Reason
		if e.Reason == "" {
			t.Reason = "the merge group was destroyed"
		}
		if !isID(t.Head) {
			return Trigger{}, errors.New("merge_group.head_sha is missing")
		}
		return t, nil
	}
	if t.HeadRef == "" || t.BaseRef == "" {
		return Trigger{}, errors.New("merge_group.head_ref or base_ref is missing")
	}
	return t, nil
}
