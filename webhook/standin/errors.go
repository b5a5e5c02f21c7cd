package standin

import (
	"fmt"
	"net/http"
)

// apiError is an error answer in GitHub's shape.
type apiError struct {
	status  int
	message string
	errors  []any
	header  http.Header
}

func (e *apiError) Error() string { return fmt.Sprintf("%d: %s", e.status, e.message) }

func (e *apiError) body() object {
	o := object{
		"message": e.message, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(e.status),
	}
	if e.errors != nil {
		o["errors"] = e.errors
	}
	return o
}

func fail(status int, format string, args ...any) *apiError {
	return &apiError{status: status, message: fmt.Sprintf(format, args...)}
}

// notFound is also what GitHub says about what a token may not see.
func notFound() *apiError { return fail(http.StatusNotFound, "Not Found") }

// invalid is a 422 about one field; code is missing, missing_field, invalid or already_exists.
func invalid(resource, field, code string) *apiError {
	e := fail(http.StatusUnprocessableEntity, "Validation Failed")
	e.errors = []any{object{"resource": resource, "field": field, "code": code}}
	return e
}

// custom is a 422 with a sentence of its own.
func custom(resource, message string) *apiError {
	e := fail(http.StatusUnprocessableEntity, "Validation Failed")
	e.errors = []any{object{"resource": resource, "code": "custom", "message": message}}
	return e
}

// malformed is the 422 about a request that does not follow the description of the API.
func malformed(format string, args ...any) *apiError {
	return fail(http.StatusUnprocessableEntity, "Invalid request.\n\n%s", fmt.Sprintf(format, args...))
}
