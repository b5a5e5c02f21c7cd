package standin

import "fmt"

// Rerequest presses the re-run button of a check run: check_run rerequested.
func (s *Server) Rerequest(by *User, id int64) error {
	run, repo := s.findRun(id)
	if repo == nil {
		return fmt.Errorf("stand-in: check run %d: no such run", id)
	}
	return s.emit(repo, "check_run", repo.payload(by, object{"action": "rerequested", "check_run": repo.runShape(run)}))
}

// Press presses one of the buttons that a completed check run offers: check_run requested_action.
func (s *Server) Press(by *User, id int64, identifier string) error {
	run, repo := s.findRun(id)
	if repo == nil {
		return fmt.Errorf("stand-in: check run %d: no such run", id)
	}
	offered := false
	for _, a := range run.Actions {
		offered = offered || a.Identifier == identifier
	}
	if !offered || run.Status != "completed" {
		return fmt.Errorf("stand-in: check run %d: offers no button %q", id, identifier)
	}
	return s.emit(repo, "check_run", repo.payload(by, object{
		"action": "requested_action", "check_run": repo.runShape(run), "requested_action": object{"identifier": identifier},
	}))
}
