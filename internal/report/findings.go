package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gatebot/gatebot/internal/finding"
)

// around is how many lines are shown before and behind a finding.
const around = 3

// Finding is one finding as the page shows it.
type Finding struct {
	ID, Rule, Name       string
	Severity             finding.Severity
	Confidence           finding.Confidence
	Path                 string
	Line                 int
	Function, Region     string
	Message, Fix         string
	Suppressed           string
	Code                 []CodeLine
	Chain                []string // the calls from a root of the hot path, outermost first
	Source, Seen, Replay []Proof  // evidence by where it comes from
}

// CodeLine is one line of the source around a finding.
type CodeLine struct {
	N                 int
	Text              string // when the line is not the finding's, or its columns do not fit
	Hit               bool
	Before, At, After string // of a hit: the offending expression and what is around it
}

// Proof is one piece of evidence.
type Proof struct {
	Text, Place, Code string
	Frames            []string
}

// findings splits what was found into what a reader has to act on and the rest.
func findings(in Input) (loud, quiet []Finding) {
	var warn []Finding
	files := map[string][]string{}
	for i := range in.Results.Findings {
		f := &in.Results.Findings[i]
		x := describe(f, lines(in, files, f.Path))
		switch {
		case f.Suppressed != nil || f.Confidence == finding.Possible || f.Severity == finding.Info:
			quiet = append(quiet, x)
		case f.Severity == finding.Error:
			loud = append(loud, x)
		default:
			warn = append(warn, x)
		}
	}
	return append(loud, warn...), quiet
}

// lines are the lines of a file, nil when it cannot be had. Each file is read once.
func lines(in Input, files map[string][]string, path string) []string {
	if got, ok := files[path]; ok || in.Read == nil {
		return got
	}
	data, err := in.Read(path)
	if err != nil {
		files[path] = nil
		return nil
	}
	files[path] = strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	return files[path]
}

// anchor is the id of a finding in the page.
func anchor(f *finding.Finding) string {
	if f.Fingerprint != "" {
		return "f-" + short(f.Fingerprint)
	}
	return fmt.Sprintf("f-%s-%d-%d", strings.ToLower(f.Rule), f.Line, f.Column)
}

func describe(f *finding.Finding, src []string) Finding {
	x := Finding{ID: anchor(f), Rule: f.Rule, Name: f.Name, Severity: f.Severity, Confidence: f.Confidence, Path: f.Path, Line: f.Line,
		Function: f.Function, Region: f.Region, Message: sentence(f.Message), Fix: sentence(f.Fix), Code: frame(f, src)}
	if s := f.Suppressed; s != nil {
		x.Suppressed = s.By + ": " + s.Reason
	}
	for _, e := range f.Evidence {
		p := Proof{Text: sentence(e.Message), Code: e.Code, Frames: e.Frames}
		if e.Path != "" {
			p.Place = fmt.Sprintf("%s:%d", e.Path, e.Line)
		}
		switch e.Kind {
		case finding.EvidenceHotPath:
			if len(e.Frames) > 0 {
				x.Chain = reversed(e.Frames)
			} else {
				x.Chain = strings.Split(e.Message, " → ")
			}
		case finding.EvidenceStack:
			x.Seen = stack(x.Seen, p)
		case finding.EvidenceAPICall, finding.EvidenceSyncDebug:
			x.Seen = append(x.Seen, p)
		case finding.EvidenceMeasured:
			if f.Check == finding.CheckSource {
				x.Source = append(x.Source, p)
			} else {
				x.Seen = append(x.Seen, p)
			}
		case finding.EvidenceReplay:
			x.Replay = append(x.Replay, p)
		default:
			switch {
			case e.Kind == finding.EvidenceSource && e.Message == "" && len(x.Code) > 0: // the code frame shows it
			case byCheck(e.Message): // another check came to the same line, and its finding was merged into this one
				x.Seen = append(x.Seen, p)
			default:
				x.Source = append(x.Source, p)
			}
		}
	}
	return x
}

// stack puts the frames of a call beside what was said of the call.
func stack(seen []Proof, p Proof) []Proof {
	if n := len(seen); n > 0 && p.Text == "" && seen[n-1].Frames == nil {
		seen[n-1].Frames = p.Frames
		return seen
	}
	if p.Text == "" {
		p.Text = "Called from"
	}
	return append(seen, p)
}

// byCheck reports whether a message begins with the name of a check on the device.
func byCheck(message string) bool {
	name, _, ok := strings.Cut(message, ": ")
	return ok && slices.Contains(finding.GPUChecks, name)
}

func reversed(s []string) []string {
	out := make([]string, len(s))
	for i, v := range s {
		out[len(s)-1-i] = v
	}
	return out
}

// frame is the code around a finding, or the line that its evidence carries.
func frame(f *finding.Finding, src []string) []CodeLine {
	if f.Line < 1 || f.Line > len(src) {
		for _, e := range f.Evidence {
			if e.Kind == finding.EvidenceSource && e.Code != "" {
				return []CodeLine{{N: f.Line, Hit: true, At: e.Code}}
			}
		}
		return nil
	}
	var out []CodeLine
	end := min(max(f.EndLine, f.Line), f.Line+8)
	for n := max(1, f.Line-around); n <= min(len(src), end+around); n++ {
		text := strings.ReplaceAll(src[n-1], "\t", "    ")
		text = cut(text, 400)
		l := CodeLine{N: n, Text: text, Hit: n >= f.Line && n <= end}
		if l.Hit {
			l.Before, l.At, l.After = mark(f, n, src[n-1], text)
		}
		out = append(out, l)
	}
	return out
}

// mark cuts a line of a finding at its columns, which count code points.
func mark(f *finding.Finding, n int, raw, text string) (before, at, after string) {
	r := []rune(raw)
	from, to := 0, len(r)
	if n == f.Line && f.Column > 0 {
		from = f.Column - 1
	}
	if n == max(f.EndLine, f.Line) && f.EndColumn > 0 {
		to = f.EndColumn - 1
	}
	if from >= to || to > len(r) || len(text) != len(raw) {
		return "", text, "" // tabs were written out, or the columns are not of this text
	}
	return string(r[:from]), string(r[from:to]), string(r[to:])
}

// cut shortens s to at most n bytes, between two characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
