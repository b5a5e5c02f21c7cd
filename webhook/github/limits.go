package github

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// GitHub's limits. Beyond them it answers 422, GHES at times 5xx (spotify/github-java-client notes it), so they are kept
// on our side. Where GitHub counts characters we count bytes: never fewer, so never too long.
const (
	// MaxAnnotationsPerRequest: "No more than 50 items are allowed" (REST docs, check runs; qiniu/reviewbot#258).
	MaxAnnotationsPerRequest = 50
	// MaxAnnotations is our own cap per run: the pull request page was unusable past about 270 (reviewdog#1008).
	MaxAnnotations = 200
	// MaxText: "Only 65535 characters are allowed" for output.summary and output.text, each (reviewdog check.go).
	MaxText = 65535
	// MaxOutputTitle is undocumented; titles are one line and 255 is what annotation titles may have.
	MaxOutputTitle = 255
	// MaxAnnotationTitle: "The maximum size is 255 characters" (REST docs, check runs, annotations.title).
	MaxAnnotationTitle = 255
	// MaxAnnotationText: "The maximum size is 64 KB" (REST docs, annotations.message and annotations.raw_details).
	MaxAnnotationText = 64000
	// MaxActions, MaxActionLabel, MaxActionDescription, MaxActionIdentifier: REST docs, check runs, actions.
	MaxActions           = 3
	MaxActionLabel       = 20
	MaxActionDescription = 40
	MaxActionIdentifier  = 20
)

// TruncationNote ends a text that was cut.
const TruncationNote = "\n\n_Cut here: GitHub takes no more. The results file has everything._\n"

// Truncate shortens Markdown to at most limit bytes, note included. It cuts between lines where it can, else between
// runes, and closes a code fence that the cut left open.
func Truncate(s string, limit int, note string) string {
	if len(s) <= limit {
		return s
	}
	if len(note) >= limit {
		return cutRunes(note, limit)
	}
	for room := limit - len(note); room > 0; {
		cut := cutRunes(s, room)
		if i := strings.LastIndexByte(cut, '\n'); i > len(cut)/2 {
			cut = cut[:i]
		}
		tail := ""
		if fence := openFence(cut); fence != "" {
			tail = "\n" + fence
		}
		if len(cut)+len(tail)+len(note) <= limit {
			return cut + tail + note
		}
		room = len(cut) - len(tail)
	}
	return note
}

// cutRunes is the longest prefix of at most n bytes that ends between runes.
func cutRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// openFence is the marker of the code fence that is open at the end of s, or "". A fence is three or more ` or ~ with
// at most three spaces before them; it is closed by at least as many of the same, alone on a line (CommonMark 4.5).
func openFence(s string) string {
	open := ""
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		t := strings.TrimLeft(line, " ")
		if len(line)-len(t) > 3 || t == "" || (t[0] != '`' && t[0] != '~') {
			continue
		}
		rest := strings.TrimLeft(t, t[:1])
		mark := t[:len(t)-len(rest)]
		switch {
		case len(mark) < 3:
		case open == "" && (mark[0] == '~' || !strings.Contains(rest, "`")):
			open = mark
		case open != "" && mark[0] == open[0] && len(mark) >= len(open) && strings.TrimSpace(rest) == "":
			open = ""
		}
	}
	return open
}

// oneLine shortens plain text to limit bytes and one line.
func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= limit {
		return s
	}
	return cutRunes(s, limit-len("…")) + "…"
}

// checkActions refuses buttons that GitHub would: they are ours, so a long one is a programming error to be shown.
func checkActions(actions []Action) error {
	if len(actions) > MaxActions {
		return fmt.Errorf("check run actions: %d given, GitHub takes %d", len(actions), MaxActions)
	}
	for _, a := range actions {
		for _, f := range []struct {
			name, value string
			limit       int
		}{
			{"label", a.Label, MaxActionLabel},
			{"description", a.Description, MaxActionDescription},
			{"identifier", a.Identifier, MaxActionIdentifier},
		} {
			if n := utf8.RuneCountInString(f.value); n == 0 || n > f.limit {
				return fmt.Errorf("check run action %s %q: %d characters, want 1 to %d", f.name, f.value, n, f.limit)
			}
		}
	}
	return nil
}
