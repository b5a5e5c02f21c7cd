package webhook

import "errors"

type installationEvent struct {
	common
	Repositories []installedRepo `json:"repositories"`
}

type installedRepo struct {
	ID int64 `json:"id"`
}

// parseInstallation looks at what is open wherever the App has just come to. What it was taken from needs nothing: GitHub
// refuses us there from now on, and the records end by their deadlines.
func parseInstallation(payload []byte) (Trigger, error) {
	var e installationEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	return installed(&e.common, "created", "unsuspend", "new_permissions_accepted")
}

// installed is a sweep of one installation when its action is one of these.
func installed(c *common, actions ...string) (Trigger, error) {
	if c.Action == "" {
		return Trigger{}, errors.New("action is missing")
	}
	if c.Installation.ID <= 0 {
		return Trigger{}, errors.New("installation.id is missing")
	}
	for _, a := range actions {
		if c.Action == a {
			t := c.trigger(KindSweep)
			return t, nil
		}
	}
	return nothing(c.Action, "action %s of installation %d asks for nothing", c.Action, c.Installation.ID)
}
