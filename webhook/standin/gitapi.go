package standin

import (
	"encoding/base64"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

func (s *Server) gitRoutes(on func(string, need, handler)) {
	on("GET /repos/{owner}/{repo}/commits/{ref}", read("contents"), (*call).getCommit)
	on("GET /repos/{owner}/{repo}/branches/{branch}", read("contents"), (*call).getBranch)
	on("GET /repos/{owner}/{repo}/git/ref/{ref...}", read("contents"), (*call).getRef)
	on("GET /repos/{owner}/{repo}/git/matching-refs/{ref...}", read("contents"), (*call).matchingRefs)
	on("POST /repos/{owner}/{repo}/git/refs", write("contents"), (*call).createRef)
	on("PATCH /repos/{owner}/{repo}/git/refs/{ref...}", write("contents"), (*call).updateRef)
	on("DELETE /repos/{owner}/{repo}/git/refs/{ref...}", write("contents"), (*call).deleteRef)
	on("GET /repos/{owner}/{repo}/contents/{path...}", read("contents"), (*call).getContents)
	on("GET /repos/{owner}/{repo}/compare/{basehead...}", read("contents"), (*call).compare)
}

func (c *call) getCommit() (int, any, error) {
	id := c.repo.commitVisible(c.context(), c.PathValue("ref"))
	if id == "" {
		return 0, nil, fail(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.PathValue("ref"))
	}
	info, err := c.repo.commit(c.context(), id)
	if err != nil {
		return 0, nil, err
	}
	o := c.repo.commitShape(info)
	o["stats"], o["files"] = object{"total": 0, "additions": 0, "deletions": 0}, []any{}
	return http.StatusOK, o, nil
}

func (c *call) getBranch() (int, any, error) {
	name := c.PathValue("branch")
	id := c.repo.Head(name)
	if id == "" {
		return 0, nil, fail(http.StatusNotFound, "Branch not found")
	}
	info, err := c.repo.commit(c.context(), id)
	if err != nil {
		return 0, nil, err
	}
	api := c.repo.api() + "/branches/" + name
	return http.StatusOK, object{
		"name": name, "commit": c.repo.commitShape(info), "protected": false, "protection_url": api + "/protection",
		"_links":     object{"self": api, "html": c.repo.html() + "/tree/" + name},
		"protection": object{"enabled": false},
	}, nil
}

func (c *call) refShape(ref, id string) object {
	return object{
		"ref": ref, "node_id": "REF_" + ref, "url": c.repo.api() + "/git/" + ref,
		"object": object{"type": "commit", "sha": id, "url": c.repo.api() + "/git/commits/" + id},
	}
}

func (c *call) ref(name string) string {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.repo.refs[name]
}

func (c *call) getRef() (int, any, error) {
	name := "refs/" + c.PathValue("ref")
	id := c.ref(name)
	if id == "" {
		return 0, nil, notFound()
	}
	return http.StatusOK, c.refShape(name, id), nil
}

// matchingRefs lists the refs that begin like this.
func (c *call) matchingRefs() (int, any, error) {
	prefix := "refs/" + c.PathValue("ref")
	c.s.mu.Lock()
	refs := maps.Clone(c.repo.refs)
	c.s.mu.Unlock()
	all := []any{}
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		if strings.HasPrefix(name, prefix) {
			all = append(all, c.refShape(name, refs[name]))
		}
	}
	all, err := page(c, all)
	return http.StatusOK, all, err
}

func (c *call) createRef() (int, any, error) {
	var in struct{ Ref, SHA string }
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	switch {
	case !strings.HasPrefix(in.Ref, "refs/") || strings.Count(in.Ref, "/") < 2:
		return 0, nil, fail(http.StatusUnprocessableEntity, "Reference name must start with 'refs/' and have at least two slashes")
	case c.ref(in.Ref) != "":
		return 0, nil, fail(http.StatusUnprocessableEntity, "Reference already exists")
	case !fullID.MatchString(in.SHA) || c.repo.commitVisible(c.context(), in.SHA) == "":
		return 0, nil, fail(http.StatusUnprocessableEntity, "Object does not exist")
	}
	if err := c.moveRef(in.Ref, in.SHA); err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, c.refShape(in.Ref, in.SHA), nil
}

func (c *call) updateRef() (int, any, error) {
	var in struct {
		SHA   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return 0, nil, err
	}
	name := "refs/" + c.PathValue("ref")
	old := c.ref(name)
	switch {
	case old == "":
		return 0, nil, fail(http.StatusUnprocessableEntity, "Reference does not exist")
	case !fullID.MatchString(in.SHA) || c.repo.commitVisible(c.context(), in.SHA) == "":
		return 0, nil, fail(http.StatusUnprocessableEntity, "Object does not exist")
	}
	if !in.Force {
		if _, err := c.s.git.run(c.context(), c.repo.Dir(), nil, "merge-base", "--is-ancestor", old, in.SHA); err != nil {
			return 0, nil, fail(http.StatusUnprocessableEntity, "Update is not a fast forward")
		}
	}
	if err := c.moveRef(name, in.SHA); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, c.refShape(name, in.SHA), nil
}

func (c *call) deleteRef() (int, any, error) {
	name := "refs/" + c.PathValue("ref")
	if c.ref(name) == "" {
		return 0, nil, fail(http.StatusUnprocessableEntity, "Reference does not exist")
	}
	return http.StatusNoContent, nil, c.moveRef(name, "")
}

func (c *call) moveRef(name, id string) error {
	c.s.mu.Lock()
	bot := c.s.bot()
	c.s.mu.Unlock()
	return c.repo.SetRef(c.context(), bot, name, id)
}

// getContents serves files; of a directory it lists the entries.
func (c *call) getContents() (int, any, error) {
	rev := c.URL.Query().Get("ref")
	if rev == "" {
		rev = c.repo.branch
	}
	id := c.repo.commitVisible(c.context(), strings.TrimPrefix(rev, "refs/heads/"))
	if id == "" {
		return 0, nil, fail(http.StatusNotFound, "No commit found for the ref %s", rev)
	}
	name := strings.TrimSuffix(c.PathValue("path"), "/")
	out, err := c.s.git.run(c.context(), c.repo.Dir(), nil, "rev-parse", "--verify", "--quiet", "--end-of-options", id+":"+name)
	if err != nil {
		return 0, nil, notFound()
	}
	kind, err := c.s.git.run(c.context(), c.repo.Dir(), nil, "cat-file", "-t", out)
	if err != nil {
		return 0, nil, err
	}
	if kind == "tree" {
		return c.directory(id, name, out)
	}
	data, err := c.s.git.run(c.context(), c.repo.Dir(), nil, "cat-file", "-p", out+"^{blob}")
	if err != nil {
		return 0, nil, err
	}
	if blob, err := c.s.git.run(c.context(), c.repo.Dir(), nil, "cat-file", "-s", out); err == nil && blob != "" &&
		len(data) < atoi(blob) {
		data += "\n" // run takes the last newline off
	}
	o := c.fileShape(id, name, out, "file", len(data))
	o["encoding"], o["content"] = "base64", wrap(base64.StdEncoding.EncodeToString([]byte(data)))
	return http.StatusOK, o, nil
}

func (c *call) fileShape(commit, name, blob, kind string, size int) object {
	api := c.repo.api() + "/contents/" + name + "?ref=" + commit
	git := c.repo.api() + "/git/blobs/" + blob
	html := c.repo.html() + "/blob/" + commit + "/" + name
	return object{
		"type": kind, "size": size, "name": path.Base(name), "path": name, "sha": blob, "url": api, "git_url": git,
		"html_url": html, "download_url": c.repo.html() + "/raw/" + commit + "/" + name,
		"_links": object{"self": api, "git": git, "html": html},
	}
}
