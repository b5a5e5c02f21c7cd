package board

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/gatebot/gatebot/webhook/board/signin"
)

// pull links to a pull request at GitHub.
func (b *Board) pull(repo signin.Repo, n int) link {
	l := link{Text: fmt.Sprintf("#%d", n)}
	if b.Web != "" {
		l.URL = fmt.Sprintf("%s/%s/pull/%d", b.Web, fullName(repo), n)
	}
	return l
}

// line links to a line of a file at a commit.
func (b *Board) line(repo signin.Repo, commit, path string, line int) link {
	l := link{Text: path}
	if line > 0 {
		l.Text = fmt.Sprintf("%s:%d", path, line)
	}
	if b.Web == "" || !isHex(commit) || path == "" || strings.HasPrefix(path, "/") {
		return l
	}
	u := url.URL{Path: "/" + fullName(repo) + "/blob/" + commit + "/" + path}
	l.URL = b.Web + u.EscapedPath()
	if line > 0 {
		l.URL += fmt.Sprintf("#L%d", line)
	}
	return l
}
