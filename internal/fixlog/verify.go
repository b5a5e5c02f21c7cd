package fixlog

import (
	"context"
	"fmt"
	"slices"

	"github.com/gatebot/gatebot/internal/git"
)

// Verify reads history again, as Update would with an empty ledger, and lists where the ledger disagrees with it: fixes
// that it lacks, that history does not have, or whose state is another. Rows that people wrote cannot be checked and
// are not. Nothing wrong means that the log is right about the range; unclear lists the commits of it that allow no
// claim, and why.
func Verify(ctx context.Context, repo git.Repository, s Scanner, l *Ledger, o Options) (wrong, unclear []string, err error) {
	fresh := &Ledger{}
	var visited []string
	for {
		out, err := Update(ctx, repo, s, fresh, o)
		if err != nil {
			return nil, nil, err
		}
		unclear, visited = append(unclear, out.Notes...), append(visited, out.visited...)
		if out.More == 0 {
			break
		}
		o.After = ""
	}
	for i := range fresh.Records {
		want := &fresh.Records[i]
		have := l.find(want.ID)
		switch {
		case have == nil:
			wrong = append(wrong, fmt.Sprintf("%s is missing: %s", short(want.Commit), want.Description))
		case have.RegressedIn != "" && !slices.Contains(visited, have.RegressedIn): // after the range
		case have.State != want.State:
			wrong = append(wrong, fmt.Sprintf("%s is %s in the log and %s in history: %s", short(want.Commit), have.State, want.State,
				want.Description))
		}
	}
	for i := range l.Records {
		have := &l.Records[i]
		if have.Source == SourceStatic && have.State != Open && slices.Contains(visited, have.Commit) && fresh.find(have.ID) == nil {
			wrong = append(wrong, fmt.Sprintf("%s fixed nothing of the kind: %s", short(have.Commit), have.Description))
		}
	}
	return wrong, unclear, nil
}
