package webhook

// parseInstallationRepositories looks at what is open in repositories that the App may act on from now.
func parseInstallationRepositories(payload []byte) (Trigger, error) {
	var e installationEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	return installed(&e.common, "added")
}
