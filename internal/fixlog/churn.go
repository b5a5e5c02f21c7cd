package fixlog

import (
	"errors"
	"regexp"
	"strings"

	"github.com/gatebot/gatebot/internal/config"
	"github.com/gatebot/gatebot/internal/git"
)

// churn is which lines of code a commit brought and which it took, wherever they stand.
type churn struct{ gained, lost map[string]bool }

// telling matches bare lines that may hold a hazard: without a call, an index or a condition there is none.
var telling = regexp.MustCompile(`[(\[]|^(?:if|elif|while|assert|for|return)\b`)

// churned reads the lines that a commit changed in source files. False: a partial clone lacks some of them.
func (u *update) churned(changes []git.Change) (churn, bool, error) {
	c := churn{map[string]bool{}, map[string]bool{}}
	for _, x := range changes {
		var side [2][]string
		for i, b := range []struct{ path, blob string }{{x.OldPath, x.OldBlob}, {x.Path, x.Blob}} {
			if b.blob == "" || git.IsZeroID(b.blob) || !config.IsSource(b.path) || isTest(b.path) || x.OldBlob == x.Blob {
				continue
			}
			err := u.repo.Blobs(u.ctx, []string{b.blob}, func(_ string, data []byte, err error) error {
				for _, l := range strings.Split(string(data), "\n") {
					side[i] = append(side[i], bare(l, strings.HasSuffix(b.path, ".py") || strings.HasSuffix(b.path, ".pyi")))
				}
				return err
			})
			if errors.Is(err, git.ErrNotFound) || errors.Is(err, git.ErrTooLarge) {
				return c, false, nil
			}
			if err != nil {
				return c, false, err
			}
		}
		c.lost = tell(c.lost, surplus(side[0], side[1]))
		c.gained = tell(c.gained, surplus(side[1], side[0]))
	}
	return c, true, nil
}

func tell(into map[string]bool, lines map[string]int) map[string]bool {
	for l := range lines {
		if telling.MatchString(l) {
			into[l] = true
		}
	}
	return into
}

// toAndFro reports whether one commit of a run took a line that another one brought: what hangs on it may have come and
// gone, or gone and come, between ends that are the same.
func (u *update) toAndFro(run []string) bool {
	gained, lost := map[string]bool{}, map[string]bool{}
	for _, id := range run {
		c := u.churn[id]
		for l := range c.gained {
			if lost[l] {
				return true
			}
		}
		for l := range c.lost {
			if gained[l] {
				return true
			}
		}
		for l := range c.gained {
			gained[l] = true
		}
		for l := range c.lost {
			lost[l] = true
		}
	}
	return false
}
