package webhook

import (
	"errors"
	"strings"
)

type issueCommentEvent struct {
	common
	Issue struct {
		Number      int       `json:"number"`
		PullRequest *struct{} `json:"pull_request"`
		User        userOf    `json:"user"`
	} `json:"issue"`
	Comment struct {
		ID   int64  `json:"id"`
		Body string `json:"body"`
		User userOf `json:"user"`
	} `json:"comment"`
}

type userOf struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

// parseIssueComment reads commands out of new comments on pull requests. An edited comment is none: what was approved
// must not change after the fact. Bots, we ourselves among them, give no commands.
func parseIssueComment(payload []byte) (Trigger, error) {
	var e issueCommentEvent
	if err := decode(payload, &e); err != nil {
		return Trigger{}, err
	}
	switch {
	case e.Action == "":
		return Trigger{}, errors.New("action is missing")
	case e.Action != "created":
		return nothing(e.Action, "action %s gives no command", e.Action)
	case e.Issue.PullRequest == nil:
		return nothing(e.Action, "not on a pull request")
	case e.Comment.User.Type == "Bot":
		return nothing(e.Action, "a bot's comment")
	}
	cmd, ok := parseCommand(e.Comment.Body)
	if !ok {
		return nothing(e.Action, "no command")
	}
	t := e.trigger(KindCommand)
	t.PR, t.Comment, t.Command, t.Sender = e.Issue.Number, e.Comment.ID, cmd, e.Comment.User.Login
	switch {
	case t.PR <= 0:
		return Trigger{}, errors.New("issue.number is missing")
	case t.Comment <= 0:
		return Trigger{}, errors.New("comment.id is missing")
	case t.Sender == "":
		return Trigger{}, errors.New("comment.user.login is missing")
	}
	return t, nil
}

// Command is what a comment asks for.
type Command struct{ Verb, Arg string }

// commandPrefix begins a comment that is a command.
const commandPrefix = "/gatebot"

// parseCommand takes the first line of a comment. A word that merely begins like the prefix is none.
func parseCommand(body string) (Command, bool) {
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	words := strings.Fields(line)
	if len(words) == 0 || !strings.EqualFold(words[0], commandPrefix) {
		return Command{}, false
	}
	var c Command
	if len(words) > 1 {
		c.Verb = strings.ToLower(words[1])
	}
	if len(words) > 2 {
		c.Arg = words[2]
	}
	return c, true
}
