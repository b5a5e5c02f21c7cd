package dsv4

import (
	"archive/tar"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/gatebot/gatebot/checks/dynamic"
	"github.com/gatebot/gatebot/internal/finding"
	"github.com/gatebot/gatebot/internal/trace"
)

// The recordings that the demo shows; those of the other violations are read by tests only.
//
//go:embed recorded/phase1-steps.tar.zst recorded/phase2.tar.zst recorded/01-mhc-item.tar.zst
var recordings embed.FS

// A Recording is what a card recorded of one tree of the example, cut by trim.py.
type Recording struct {
	Input *dynamic.Input
	When  time.Time
	Only  []string // checks that it can be judged by; empty means all
}

// oneStep are the checks of a run of 61 layers without speed, of which one step was kept: drift and allocations want two.
var oneStep = []string{finding.CheckSource, finding.CheckSync, finding.CheckCapture, finding.CheckReplay}

// kept are the checks by which recordings can be judged that do not hold everything: of the first row launches and
// operations were cut, and the others were made with --only.
var kept = map[string][]string{
	"03-token-transfer":   oneStep,
	"04-scale-view":       oneStep,
	"05-conditional-read": oneStep,
	"06-bincount":         oneStep,
	"08-scatter-index":    oneStep,
	"09-stride-0":         oneStep,
	"01-mhc-item":         {finding.CheckSource, finding.CheckSync, finding.CheckCapture},
	"phase1":              {finding.CheckSource, finding.CheckCapture, finding.CheckReplay, finding.CheckSpeed},
	"phase1-sync":         {finding.CheckSync},
	"phase2":              {finding.CheckSource, finding.CheckCapture, finding.CheckReplay, finding.CheckSpeed},
	"split":               {finding.CheckSource, finding.CheckSync, finding.CheckDrift, finding.CheckCapture, finding.CheckReplay},
}

// Recorded reads one of these.
func Recorded(name string) (*Recording, error) { return readRecording(recordings, name) }

func readRecording(from fs.FS, name string) (*Recording, error) {
	f, err := from.Open("recorded/" + name + ".tar.zst")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	t := &trace.Trace{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", name, err)
		}
		if err := t.Read(r, h.Name); err != nil {
			return nil, fmt.Errorf("recording %s: %w", name, err)
		}
	}
	t.Arrange()
	out := &Recording{Input: &dynamic.Input{Trace: t, NeedProbe: true}, Only: kept[name]}
	i := slices.IndexFunc(t.Files, func(f trace.File) bool { return f.Header != nil && f.Header.Writer == "harness" })
	if i < 0 {
		return nil, fmt.Errorf("recording %s: no file of the harness in it", name)
	}
	out.Input.Root = strings.TrimSuffix(t.Files[i].Header.Dir, "/")
	out.When = time.Unix(0, t.Files[i].Header.Wall).UTC()
	return out, nil
}
