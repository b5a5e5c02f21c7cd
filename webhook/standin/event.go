package standin

import (
	"context"
	"strings"
)

// hookID is the number of the App's one webhook.
const hookID = 109948940

// payload is what every event of a repository carries.
func (r *Repository) payload(by *User, fields object) object {
	o := object{
		"repository": r.shape(), "sender": r.s.userShape(by.Login),
		"installation": object{"id": r.installation, "node_id": nodeID("I", r.installation)},
	}
	for k, v := range fields {
		o[k] = v
	}
	return o
}

func (r *Repository) emitPull(ctx context.Context, by *User, p Pull, action string, more object) error {
	o := r.payload(by, object{"action": action, "number": p.Number, "pull_request": r.pullFullShape(ctx, p)})
	for k, v := range more {
		o[k] = v
	}
	return r.s.emit(r, "pull_request", o)
}

// pushed sends the event of one moved ref; before or after is empty for a new or deleted one.
func (r *Repository) pushed(ctx context.Context, by *User, ref, before, after string) error {
	commits := []any{}
	var head any
	forced := false
	if after != "" && strings.HasPrefix(ref, "refs/heads/") {
		args := []string{"rev-list", "--reverse", "--max-count=2048", after}
		if before != "" {
			args = append(args, "^"+before)
			_, err := r.s.git.run(ctx, r.Dir(), nil, "merge-base", "--is-ancestor", before, after)
			forced = err != nil
		} else if base := r.Head(r.branch); base != "" && base != after {
			args = append(args, "^"+base)
		}
		out, err := r.s.git.run(ctx, r.Dir(), nil, args...)
		if err != nil {
			return err
		}
		for id := range strings.FieldsSeq(out) {
			c, err := r.commit(ctx, id)
			if err != nil {
				return err
			}
			commits = append(commits, r.pushShape(c))
		}
	}
	if after != "" {
		c, err := r.commit(ctx, after+"^{commit}")
		if err != nil {
			return err
		}
		head = r.pushShape(c)
	}
	repo := r.shape()
	// A push spells its repository differently: seconds instead of dates, and the owner with a name.
	repo["created_at"], repo["pushed_at"] = r.created.Unix(), r.created.Unix()
	repo["stargazers"], repo["master_branch"] = 0, r.branch
	owner := r.s.userShape(r.owner)
	owner["name"], owner["email"] = r.owner, nil
	repo["owner"] = owner
	return r.s.emit(r, "push", r.payload(by, object{
		"ref": ref, "before": orZero(before), "after": orZero(after), "created": before == "", "deleted": after == "",
		"forced": forced, "base_ref": nil, "compare": r.html() + "/compare/" + short(before) + "..." + short(after),
		"commits": commits, "head_commit": head, "repository": repo,
		"pusher": object{"name": by.Login, "email": by.email()},
	}))
}

func (r *Repository) emitMergeGroup(ctx context.Context, by *User, g MergeGroup, action, reason string) error {
	c, err := r.commit(ctx, g.HeadSHA)
	if err != nil {
		return err
	}
	o := object{
		"action": action,
		"merge_group": object{
			"head_sha": g.HeadSHA, "head_ref": g.HeadRef, "base_sha": g.BaseSHA, "base_ref": g.BaseRef,
			"head_commit": c.shortShape(),
		},
	}
	if reason != "" {
		o["reason"] = reason
	}
	return r.s.emit(r, "merge_group", r.payload(by, o))
}

func (s *Server) pingPayload() object {
	return object{
		"zen": "Keep it logically awesome.", "hook_id": hookID,
		"hook": object{
			"type": "App", "id": hookID, "name": "web", "active": true, "events": appEvents, "app_id": s.opt.AppID,
			"config":     object{"content_type": "json", "insecure_ssl": "0", "url": s.URL()},
			"updated_at": stamp(s.started), "created_at": stamp(s.started),
			"deliveries_url": s.URL() + "/app/hook/deliveries",
		},
	}
}

func orZero(id string) string {
	if id == "" {
		return zeroID
	}
	return id
}

func short(id string) string { return orZero(id)[:12] }
