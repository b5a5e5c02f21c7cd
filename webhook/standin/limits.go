package standin

import (
	"slices"
	"unicode/utf8"
)

// The documented limits of check runs.
const (
	maxAnnotations   = 50    // a request
	maxText          = 65535 // characters of summary and text each
	maxTitle         = 255   // characters of an annotation's title
	maxMessage       = 64 << 10
	maxActions       = 3
	maxLabel         = 20
	maxDescription   = 40
	maxIdentifier    = 20
	maxDetailsLength = 1024
)

var (
	settableStatus = []string{"queued", "in_progress", "completed"}                                                    // the others belong to Actions
	conclusions    = []string{"success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"} //nolint:misspell // GitHub's spelling
	levels         = []string{"notice", "warning", "failure"}
)

// runInput is the body of the requests that create and update check runs; nil means that the field was not sent.
type runInput struct {
	Name        *string      `json:"name"`
	HeadSHA     *string      `json:"head_sha"`
	DetailsURL  *string      `json:"details_url"`
	ExternalID  *string      `json:"external_id"`
	Status      *string      `json:"status"`
	StartedAt   *string      `json:"started_at"`
	CompletedAt *string      `json:"completed_at"`
	Conclusion  *string      `json:"conclusion"`
	Output      *outputInput `json:"output"`
	Actions     []Action     `json:"actions"`
}

type outputInput struct {
	Title       *string      `json:"title"`
	Summary     *string      `json:"summary"`
	Text        *string      `json:"text"`
	Annotations []Annotation `json:"annotations"`
}

// check enforces what is documented about the fields, beyond what the OpenAPI description knows.
func (in *runInput) check() error {
	if in.Status != nil && !slices.Contains(settableStatus, *in.Status) {
		return malformed("%s is not a member of %q.", *in.Status, settableStatus)
	}
	if in.Conclusion != nil && !slices.Contains(conclusions, *in.Conclusion) {
		return malformed("%s is not a member of %q.", *in.Conclusion, conclusions)
	}
	completes := in.Status != nil && *in.Status == "completed" || in.CompletedAt != nil
	if completes && in.Conclusion == nil {
		return malformed("conclusion is required when a status of completed or completed_at is given.")
	}
	if in.Status != nil && *in.Status != "completed" && in.Conclusion != nil {
		return malformed("conclusion cannot be given with a status of %s.", *in.Status)
	}
	if in.DetailsURL != nil && len(*in.DetailsURL) > maxDetailsLength {
		return malformed("details_url is too long.")
	}
	if err := checkActions(in.Actions); err != nil {
		return err
	}
	if in.Output == nil {
		return nil
	}
	return in.Output.check()
}

func checkActions(actions []Action) error {
	if len(actions) > maxActions {
		return malformed("No more than %d items are allowed; %d were supplied.", maxActions, len(actions))
	}
	for _, a := range actions {
		for _, f := range []struct {
			name, value string
			limit       int
		}{
			{"label", a.Label, maxLabel}, {"description", a.Description, maxDescription}, {"identifier", a.Identifier, maxIdentifier},
		} {
			switch n := utf8.RuneCountInString(f.value); {
			case n == 0:
				return malformed("%q wasn't supplied.", f.name)
			case n > f.limit:
				return malformed("Only %d characters are allowed; %d were supplied.", f.limit, n)
			}
		}
	}
	return nil
}

func (o *outputInput) check() error {
	if o.Summary == nil {
		return malformed("%q wasn't supplied.", "summary")
	}
	for _, text := range []*string{o.Summary, o.Text} {
		if text == nil {
			continue
		}
		if n := utf8.RuneCountInString(*text); n > maxText {
			return malformed("Only %d characters are allowed; %d were supplied.", maxText, n)
		}
	}
	if n := len(o.Annotations); n > maxAnnotations {
		return malformed("No more than %d items are allowed; %d were supplied.", maxAnnotations, n)
	}
	for _, a := range o.Annotations {
		if err := a.check(); err != nil {
			return err
		}
	}
	return nil
}

func (a *Annotation) check() error {
	switch {
	case a.Path == "":
		return malformed("%q wasn't supplied.", "path")
	case a.Path[0] == '/':
		return malformed("path %q must be relative to the root of the repository.", a.Path)
	case a.StartLine < 1:
		return malformed("start_line must be 1 or more; %d was supplied.", a.StartLine)
	case a.EndLine < a.StartLine:
		return malformed("end_line %d is before start_line %d.", a.EndLine, a.StartLine)
	case (a.StartColumn != nil || a.EndColumn != nil) && a.StartLine != a.EndLine:
		return malformed("start_column and end_column are only allowed on annotations of one line.")
	case a.StartColumn != nil && *a.StartColumn < 1:
		return malformed("start_column must be 1 or more; %d was supplied.", *a.StartColumn)
	case a.StartColumn != nil && a.EndColumn != nil && *a.EndColumn < *a.StartColumn:
		return malformed("end_column %d is before start_column %d.", *a.EndColumn, *a.StartColumn)
	case !slices.Contains(levels, a.Level):
		return malformed("%s is not a member of %q.", a.Level, levels)
	case a.Message == "":
		return malformed("%q wasn't supplied.", "message")
	case utf8.RuneCountInString(a.Title) > maxTitle:
		return malformed("Only %d characters are allowed; %d were supplied.", maxTitle, utf8.RuneCountInString(a.Title))
	case len(a.Message) > maxMessage || len(a.RawDetails) > maxMessage:
		return malformed("message and raw_details are limited to 64 KB.")
	}
	return nil
}
