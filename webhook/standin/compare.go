package standin

import (
	"net/http"
	"strconv"
	"strings"
)

func atoi(s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return 0
	}
	return n
}

// wrap breaks base64 into lines of 60, as the API does.
func wrap(s string) string {
	var b strings.Builder
	for len(s) > 60 {
		b.WriteString(s[:60] + "\n")
		s = s[60:]
	}
	b.WriteString(s + "\n")
	return b.String()
}

func (c *call) directory(commit, name, tree string) (int, any, error) {
	out, err := c.s.git.run(c.context(), c.repo.Dir(), nil, "ls-tree", "-z", "-l", tree)
	if err != nil {
		return 0, nil, err
	}
	list := []any{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		meta, base, _ := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		if len(f) < 4 {
			continue
		}
		kind := "file"
		if f[1] == "tree" {
			kind = "dir"
		}
		list = append(list, c.fileShape(commit, strings.TrimPrefix(name+"/"+base, "/"), f[2], kind, atoi(f[3])))
	}
	return http.StatusOK, list, nil
}

// compare answers base...head with the commits between and the files that differ from the merge base.
func (c *call) compare() (int, any, error) {
	base, head, ok := strings.Cut(c.PathValue("basehead"), "...")
	if !ok {
		return 0, nil, notFound()
	}
	a, b := c.repo.commitVisible(c.context(), base), c.repo.commitVisible(c.context(), head)
	if a == "" || b == "" {
		return 0, nil, notFound()
	}
	git := func(args ...string) (string, error) { return c.s.git.run(c.context(), c.repo.Dir(), nil, args...) }
	middle, err := git("merge-base", a, b)
	if err != nil {
		return 0, nil, fail(http.StatusNotFound, "No common ancestor between %s and %s.", base, head)
	}
	ahead, behind := c.repo.ahead(c.context(), a, b), c.repo.ahead(c.context(), b, a)
	status := "identical"
	switch {
	case ahead > 0 && behind > 0:
		status = "diverged"
	case ahead > 0:
		status = "ahead"
	case behind > 0:
		status = "behind"
	}
	list, err := git("rev-list", "--reverse", "--max-count=250", a+".."+b)
	if err != nil {
		return 0, nil, err
	}
	commits := []any{}
	for id := range strings.FieldsSeq(list) {
		info, err := c.repo.commit(c.context(), id)
		if err != nil {
			return 0, nil, err
		}
		commits = append(commits, c.repo.commitShape(info))
	}
	first, err := c.repo.commit(c.context(), a)
	if err != nil {
		return 0, nil, err
	}
	fork, err := c.repo.commit(c.context(), middle)
	if err != nil {
		return 0, nil, err
	}
	html := c.repo.html() + "/compare/" + a + "..." + b
	return http.StatusOK, object{
		"url": c.repo.api() + "/compare/" + a + "..." + b, "html_url": html, "permalink_url": html, "diff_url": html + ".diff",
		"patch_url": html + ".patch", "base_commit": c.repo.commitShape(first), "merge_base_commit": c.repo.commitShape(fork),
		"status": status, "ahead_by": ahead, "behind_by": behind, "total_commits": ahead, "commits": commits, "files": []any{},
	}, nil
}
