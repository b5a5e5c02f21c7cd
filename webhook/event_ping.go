package webhook

type pingEvent struct {
	Zen    string `json:"zen"`
	HookID int64  `json:"hook_id"`
}

// parsePing is GitHub's first word after set-up.
func parsePing(payload []byte) (Trigger, error) {
	var e pingEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	return nothing("", "ping from hook %d: %s", e.HookID, e.Zen)
}
