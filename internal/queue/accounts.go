package queue

import (
	"fmt"
	"strings"
)

// The streams live in one account, and every runner has an account of its own that imports just what it needs.
// Permissions alone would not do: the server answers a request to whatever subject the request names, so a runner in
// the streams' account could have an answer written into any stream or record. In its own account such an answer
// goes nowhere but to itself.
const gateAccount = "GATE"

// runnerAPI is where runners find JetStream's interface. In an account without JetStream the server itself answers on
// the usual subjects, that it is not enabled there.
const (
	serverAPI = "$JS.API"
	runnerAPI = "gatebot.api"
)

// exports are all that any runner may reach, with the number of answers: a pull gets heart-beats and a message.
var exports = []struct {
	subject string
	many    bool
}{
	{serverAPI + ".CONSUMER.INFO." + string(Jobs) + ".*", false},
	{serverAPI + ".CONSUMER.MSG.NEXT." + string(Jobs) + ".*", true},
	{"$JS.ACK." + string(Jobs) + ".*.>", false},
	{serverAPI + ".DIRECT.GET." + blobStream + ".blobs.*.bundles.*.>", false},
	{"results.*", false},
}

// allowed lists all that a runner can do, as subjects of the streams' account: look at and pull from the consumers of
// its pools, acknowledge what it pulled, read its pools' bundles piece by piece, publish its own results. No right to
// create a consumer: one with a deliver subject of its maker's choice makes the server republish messages.
func allowed(r Runner) []string {
	allow := []string{"results." + r.Name}
	for _, p := range r.Pools {
		c := JobConsumer(p).Name
		allow = append(allow,
			serverAPI+".CONSUMER.INFO."+string(Jobs)+"."+c,
			serverAPI+".CONSUMER.MSG.NEXT."+string(Jobs)+"."+c,
			"$JS.ACK."+string(Jobs)+"."+c+".>",
			serverAPI+".DIRECT.GET."+blobStream+".blobs.*.bundles."+escape(p)+".>",
		)
	}
	return allow
}

// local is what a subject of the streams' account is called in a runner's.
func local(subject string) string {
	if rest, ok := strings.CutPrefix(subject, serverAPI); ok {
		return runnerAPI + rest
	}
	return subject
}

// accounts is the server's configuration of accounts and users. owner is the public key with all rights. Every name in
// it was checked to be plain.
func accounts(owner string, rs []Runner) string {
	var b strings.Builder
	fmt.Fprintf(&b, "accounts {\n  %s {\n    jetstream: enabled\n    users: [{nkey: %s}]\n    exports: [\n", gateAccount, owner)
	for _, e := range exports {
		kind := "singleton"
		if e.many {
			kind = "stream"
		}
		fmt.Fprintf(&b, "      {service: %q, response_type: %s}\n", e.subject, kind)
	}
	b.WriteString("    ]\n  }\n")
	for _, r := range rs {
		allow := allowed(r)
		fmt.Fprintf(&b, "  \"runner-%s\" {\n    imports: [\n", r.Name)
		for _, subject := range allow {
			fmt.Fprintf(&b, "      {service: {account: %s, subject: %q}, to: %q}\n", gateAccount, subject, local(subject))
		}
		fmt.Fprintf(&b, "    ]\n    users: [{nkey: %s, permissions: {publish: {allow: [%s]}, subscribe: {allow: [%q]}}}]\n  }\n",
			r.Key, quoted(allow), inboxPrefix(r.Key)+".>")
	}
	b.WriteString("}\n")
	return b.String()
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", local(s))
	}
	return strings.Join(out, ", ")
}
