package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// unknownFields refuses top-level fields of a request body that the description does not name. JSON Schema allows
// them, and GitHub ignores them: a misspelled field would silently do nothing.
func unknownFields(route *routers.Route, body []byte) error {
	if len(body) == 0 || route.Operation.RequestBody == nil || route.Operation.RequestBody.Value == nil {
		return nil
	}
	media := route.Operation.RequestBody.Value.Content.Get("application/json")
	if media == nil || media.Schema == nil || media.Schema.Value == nil {
		return nil
	}
	known := map[string]bool{}
	properties(media.Schema.Value, known)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return fmt.Errorf("request body is no JSON object: %w", err)
	}
	if len(known) == 0 {
		return nil
	}
	var unknown []string
	for name := range fields {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("request body has fields that the description does not know: %s", strings.Join(unknown, ", "))
}

func properties(s *openapi3.Schema, into map[string]bool) {
	for name := range s.Properties {
		into[name] = true
	}
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		for _, ref := range list {
			if ref.Value != nil {
				properties(ref.Value, into)
			}
		}
	}
}

// recorder keeps a copy of an answer.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.body.Write(p)
	return r.ResponseWriter.Write(p)
}

// check validates the recorded answer.
func (r *recorder) check(input *openapi3filter.RequestValidationInput) error {
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: r.status, Header: r.Header(), Options: input.Options,
	}
	out.SetBodyBytes(r.body.Bytes())
	if r.status >= 400 {
		// The description lists only some of the errors of an endpoint; their common shape is enough.
		return nil
	}
	if err := openapi3filter.ValidateResponse(input.Request.Context(), out); err != nil {
		return fmt.Errorf("answer %d: %s", r.status, brief(err))
	}
	return nil
}

// webhookSchema finds the schema of a webhook's body. x-webhooks is an extension, so its references are resolved
// here, among the components.
func (d *Description) webhookSchema(name string) (*openapi3.Schema, error) {
	data, err := json.Marshal(d.doc.Extensions["x-webhooks"])
	if err != nil {
		return nil, err
	}
	var hooks map[string]struct {
		Post struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					} `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"post"`
	}
	if err := json.Unmarshal(data, &hooks); err != nil {
		return nil, fmt.Errorf("openapi description: x-webhooks: %w", err)
	}
	hook, ok := hooks[name]
	if !ok {
		return nil, fmt.Errorf("openapi description: no webhook %q", name)
	}
	ref := hook.Post.RequestBody.Content["application/json"].Schema.Ref
	schema := d.doc.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
	if schema == nil || schema.Value == nil {
		return nil, fmt.Errorf("openapi description: webhook %q: no schema %q", name, ref)
	}
	return schema.Value, nil
}

func checkJSON(_ context.Context, schema *openapi3.Schema, data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if err := schema.VisitJSON(v, openapi3.MultiErrors()); err != nil {
		return errors.New(brief(err))
	}
	return nil
}
