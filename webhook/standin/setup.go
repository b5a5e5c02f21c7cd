package standin

import (
	"net/http"
	"strings"
)

// Require makes a check required on a branch by a rule set; app pins it to one App, 0 for any source.
func (r *Repository) Require(branch, check string, app int64) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.required == nil {
		r.required = map[string][]requiredCheck{}
	}
	r.required[branch] = append(r.required[branch], requiredCheck{check, app})
}

type requiredCheck struct {
	context string
	app     int64
}

func (s *Server) setupRoutes(on func(string, need, handler)) {
	on("GET /app/hook/config", asApp, (*call).hookConfig)
	on("GET /repos/{owner}/{repo}/rules/branches/{branch...}", read("metadata"), (*call).branchRules)
	on("GET /repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks", read("administration"), func(*call) (int, any, error) {
		return 0, nil, fail(http.StatusNotFound, "Branch not protected")
	})
}

func (c *call) hookConfig() (int, any, error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return http.StatusOK, object{"url": c.s.hookURL, "content_type": "json", "insecure_ssl": "0", "secret": strings.Repeat("*", 8)}, nil
}

func (c *call) branchRules() (int, any, error) {
	c.s.mu.Lock()
	required := c.repo.required[c.PathValue("branch")]
	c.s.mu.Unlock()
	checks := []any{}
	for _, r := range required {
		o := object{"context": r.context}
		if r.app != 0 {
			o["integration_id"] = r.app
		}
		checks = append(checks, o)
	}
	rules := []any{}
	if len(checks) > 0 {
		rules = append(rules, object{
			"type": "required_status_checks", "ruleset_source_type": "Repository", "ruleset_source": c.repo.FullName(), "ruleset_id": 1,
			"parameters": object{"required_status_checks": checks, "strict_required_status_checks_policy": false},
		})
	}
	return http.StatusOK, rules, nil
}
