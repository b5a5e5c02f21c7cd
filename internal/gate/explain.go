package gate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/checks"
)

// Explain says whether a line ("PATH:LINE", as typed in r.Dir) is hot, why, and what the values on it are taken for.
// Paths of the request are not looked at: what a line means depends on the whole tree.
func Explain(ctx context.Context, r Request, place string) (x *checks.Explanation, err error) {
	i := strings.LastIndexByte(place, ':')
	line, numErr := 0, error(nil)
	if i > 0 {
		line, numErr = strconv.Atoi(place[i+1:])
	}
	if i <= 0 || numErr != nil || line < 1 {
		return nil, &UsageError{fmt.Sprintf("--explain %q is not PATH:LINE", place)}
	}
	r.Paths = nil
	if r, err = r.normal(); err != nil {
		return nil, err
	}
	defer frugal()()
	t, err := open(ctx, r)
	if err != nil {
		return nil, err
	}
	if t.repo != nil {
		defer func() { err = errors.Join(err, t.repo.Close()) }()
	}
	cfg, err := loadConfig(ctx, r, t)
	if err != nil {
		return nil, err
	}
	name, err := t.named(r.Dir, place[:i])
	if err != nil {
		return nil, err
	}
	x, err = checks.Explain(ctx, t.source, scanOptions(cfg, r.AllFunctions), name, line)
	if errors.Is(err, checks.ErrNotScanned) {
		return nil, &UsageError{err.Error()}
	}
	return x, err
}
