package standin

// Install sends the event that the App was installed on the repository.
func (r *Repository) Install(by *User) error {
	return r.s.emit(r, "installation", object{
		"action": "created", "installation": r.fullInstallation(), "sender": r.s.userShape(by.Login),
		"repositories": []any{r.brief()},
	})
}

// Add sends the event that an installation got the repository.
func (r *Repository) Add(by *User) error {
	return r.s.emit(r, "installation_repositories", object{
		"action": "added", "installation": r.fullInstallation(), "sender": r.s.userShape(by.Login), "repository_selection": "selected",
		"repositories_added": []any{r.brief()}, "repositories_removed": []any{}, "requester": nil,
	})
}

func (r *Repository) brief() object {
	return object{"id": r.id, "node_id": nodeID("R", r.id), "name": r.name, "full_name": r.FullName(), "private": false}
}

// fullInstallation is the installation as its events have it.
func (r *Repository) fullInstallation() object {
	o := r.installationShape()
	o["has_multiple_single_files"], o["single_file_paths"] = false, []any{}
	return o
}
