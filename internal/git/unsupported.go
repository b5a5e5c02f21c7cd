package git

import "fmt"

// UnsupportedError names what keeps go-git from reading a repository rightly. It is an ErrUnsupported.
type UnsupportedError struct {
	Dir     string // the git directory
	Feature string // such as "extension objectformat=sha256"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("repository %s: %s is beyond the built-in git (install git %s or newer)", e.Dir, e.Feature, MinVersion)
}

// Unwrap lets errors.Is find ErrUnsupported.
func (e *UnsupportedError) Unwrap() error { return ErrUnsupported }
