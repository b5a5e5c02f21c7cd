package checks

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gatebot/gatebot/internal/finding"
)

// finisher turns hazards into findings.
type finisher struct {
	p     *project
	hot   *hotPath
	rules map[string]*Rule
	now   time.Time
}

func (f *finisher) findings(hazards []*raw) []finding.Finding {
	out := make([]finding.Finding, len(hazards))
	ordinals := map[string]int{}
	workers := max(1, f.p.opts.Workers)
	var g sync.WaitGroup
	nth := make([]int, len(hazards))
	for i, h := range hazards {
		key := strings.Join(append([]string{h.rule.ID, h.path, h.function}, h.tokens...), "\x00")
		nth[i] = ordinals[key]
		ordinals[key]++
	}
	for w := range workers { // each is made of one hazard, and touches nothing
		g.Go(func() {
			for i := w; i < len(hazards); i += workers {
				out[i] = f.finding(hazards[i], nth[i])
			}
		})
	}
	g.Wait()
	used := f.suppress(out)
	out = append(out, f.marks(used)...)
	out = append(out, f.unreadable()...)
	f.severities(out)
	finding.Sort(out)
	return out
}

func (f *finisher) finding(h *raw, ordinal int) finding.Finding {
	r := h.rule
	x := finding.Finding{Rule: r.ID, Name: r.Name, Severity: h.severity, Check: finding.CheckSource, Path: h.path,
		Line: int(h.span.Start.Line), Column: int(h.span.Start.Col), EndLine: int(h.span.End.Line), EndColumn: int(h.span.End.Col),
		Function: h.function, Message: h.message, Fix: h.fix, Confidence: h.confidence,
		Fingerprint: finding.Fingerprint(r.ID, h.path, h.function, h.tokens, ordinal)}
	x.MoveKey = finding.MoveKey(r.ID, h.tokens)
	x.Evidence = append(x.Evidence, finding.Evidence{Kind: finding.EvidenceSource, Path: h.path, Line: x.Line, Code: h.code})
	x.Evidence = append(x.Evidence, f.flow(h.flow)...)
	if len(h.chain) > 0 {
		x.Evidence = append(x.Evidence, f.hotPath(h.chain))
	}
	if h.guard != nil {
		x.Evidence = append(x.Evidence, finding.Evidence{Kind: finding.EvidenceGuard, Path: h.guard.path, Line: h.guard.line,
			Message: "runs only under this condition", Code: h.guard.text})
		x.Suppressed = &finding.Suppression{By: "guard", Reason: h.guard.text}
	}
	return x
}

// flow lists the steps from the source of a value to its use.
func (f *finisher) flow(fl *Flow) []finding.Evidence {
	var out []finding.Evidence
	for ; fl != nil; fl = fl.Prev {
		e := finding.Evidence{Kind: finding.EvidenceFlow, Path: fl.Path, Line: fl.Line, Message: fl.Note, Code: fl.code}
		if e.Message == "" {
			e.Message = "computed"
		}
		out = append(out, e)
	}
	slices.Reverse(out)
	return out
}

func (f *finisher) hotPath(chain []*Func) finding.Evidence {
	var names, frames []string
	for _, fn := range chain {
		if n := len(names); n > 0 && names[n-1] == fn.Name {
			continue
		}
		names = append(names, fn.Name)
		frames = append(frames, fmt.Sprintf("%s (%s:%d)", fn.Name, fn.Path, fn.Line))
	}
	slices.Reverse(frames)
	return finding.Evidence{Kind: finding.EvidenceHotPath, Message: strings.Join(names, " → "), Frames: frames}
}

// suppress marks what comments and gpu_sync_allowed allow, and returns which marks did something.
func (f *finisher) suppress(fs []finding.Finding) map[string]bool {
	used := map[string]bool{}
	for i := range fs {
		x := &fs[i]
		m := f.p.byPath[x.Path]
		if m == nil {
			continue
		}
		for j := range m.marks {
			mk := &m.marks[j]
			if !mk.covers(x.Rule, x.Line, x.EndLine) {
				continue
			}
			used[markKey(m.path, mk.line, x.Rule)] = true
			if mk.bad == "" && !mk.expired(f.now) {
				x.Suppressed = &finding.Suppression{By: "inline", Reason: mk.reason}
			}
		}
		for _, l := range m.allowed {
			if x.Suppressed == nil && x.Line >= l.from && x.Line <= l.to {
				x.Suppressed = &finding.Suppression{By: "inline", Reason: "inside gpu_sync_allowed()"}
			}
		}
	}
	return used
}

func markKey(path string, line int, rule string) string {
	return fmt.Sprintf("%s:%d:%s", path, line, rule)
}

// marks reports suppressions that are wrong or that suppress nothing (GB001).
func (f *finisher) marks(used map[string]bool) []finding.Finding {
	elsewhere := f.p.opts.Elsewhere
	if elsewhere == nil {
		elsewhere = func(string) bool { return false }
	}
	known := func(id string) bool { return f.rules[id] != nil || elsewhere(id) }
	var out []finding.Finding
	for _, m := range f.p.modules {
		for i := range m.marks {
			mk := &m.marks[i]
			msg, remark := mk.check(known, f.now), false
			if msg == "" && !mk.vllm {
				for _, id := range mk.ids {
					if !used[markKey(m.path, mk.line, id)] {
						if remark = elsewhere(id); remark {
							msg = idle(id) + " in the source; whether a check on the device needs it, only that can tell"
							continue // another id may be worse
						}
						msg = idle(id) + " (remove it)"
						break
					}
				}
			}
			if msg != "" {
				x := f.own("GB001", m.path, mk.line, mk.column, msg, []string{msg})
				if remark {
					x.Severity = finding.Info
				}
				out = append(out, x)
			}
		}
	}
	return out
}

// unreadable reports files that the gate could not look into (GB002).
func (f *finisher) unreadable() []finding.Finding {
	var out []finding.Finding
	for _, u := range f.p.unread {
		out = append(out, f.own("GB002", u.path, max(u.line, 1), 1, "the source scan does not cover this file: "+u.why, nil))
	}
	return out
}

// own is a finding about the gate itself: a suppression or a file.
func (f *finisher) own(id, path string, line, col int, msg string, tokens []string) finding.Finding {
	x := finding.Finding{Rule: id, Severity: finding.Warn, Check: finding.CheckSource, Path: path, Line: line, Column: col,
		EndLine: line, EndColumn: col + 1, Message: msg, Confidence: finding.Likely,
		Fingerprint: finding.Fingerprint(id, path, "", tokens, 0)}
	x.MoveKey = finding.MoveKey(id, tokens)
	if r := f.rules[id]; r != nil {
		x.Name, x.Severity, x.Fix = r.Name, r.Severity, r.Fix
	}
	x.Evidence = []finding.Evidence{{Kind: finding.EvidenceSource, Path: path, Line: line}}
	return x
}

// severities applies the configuration: the last rule that matches wins, off suppresses.
func (f *finisher) severities(fs []finding.Finding) {
	for i := range fs {
		x := &fs[i]
		for j := len(f.p.opts.Severity) - 1; j >= 0; j-- {
			s := f.p.opts.Severity[j]
			if !s.matches(x.Rule, x.Path) {
				continue
			}
			if s.Severity == finding.Off {
				if x.Suppressed == nil {
					x.Suppressed = &finding.Suppression{By: "config", Reason: "severity off for " + s.Match}
				}
			} else {
				x.Severity = s.Severity
			}
			break
		}
	}
}

func (s SeverityRule) matches(rule, path string) bool {
	if ruleID.MatchString(s.Match) {
		return s.Match == rule
	}
	if len(s.Match) == 5 && strings.HasPrefix(s.Match, "GB") && strings.HasSuffix(s.Match, "xx") {
		return strings.HasPrefix(rule, s.Match[:3])
	}
	return matchPath(s.Match, path)
}
