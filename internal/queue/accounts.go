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
	// Of developers' jobs: the job itself, its bundle, its log, and that it is not wanted any more.
	{"jobs.*." + fire + ".*", false},
	{"blobs.*.fires.*.*.>", false},
	{serverAPI + ".DIRECT.GET." + blobStream + ".blobs.*.fires.*.>", false},
	{"notes.>", false},
	{serverAPI + ".DIRECT.GET." + noteStream + ".notes.>", false},
	{"grants.>", false},
	{serverAPI + ".DIRECT.GET." + grantStream + ".grants.>", false},
}

// allowed lists all that a runner can do, as subjects of the streams' account: look at and pull from the consumers of
// its pools, acknowledge what it pulled, read its pools' bundles piece by piece, publish its own results. No right to
// create a consumer: one with a deliver subject of its maker's choice makes the server republish messages.
func allowed(r Runner) []string {
	allow := []string{"results." + r.Name, "notes.beats." + escape(r.Name)}
	for _, p := range r.Pools {
		for _, c := range append(JobConsumers(p), toConsumer(p, r.Name)) {
			allow = append(allow,
				serverAPI+".CONSUMER.INFO."+string(Jobs)+"."+c.Name,
				serverAPI+".CONSUMER.MSG.NEXT."+string(Jobs)+"."+c.Name,
				"$JS.ACK."+string(Jobs)+"."+c.Name+".>")
		}
		p = escape(p)
		allow = append(allow,
			serverAPI+".DIRECT.GET."+blobStream+".blobs.*.bundles."+p+".>",
			serverAPI+".DIRECT.GET."+blobStream+".blobs.*.fires."+p+".>",
			"notes.logs."+p+".>",
			serverAPI+".DIRECT.GET."+noteStream+".notes.logs."+p+".>",
			serverAPI+".DIRECT.GET."+noteStream+".notes.cancels."+p+".>",
			"grants."+p+".>",
			serverAPI+".DIRECT.GET."+grantStream+".grants."+p+".>")
	}
	return allow
}

// allowedClient lists all that a client can do: store a bundle under its own name, publish a job under its own name,
// take it back, and read what runners of its pools say of it.
func allowedClient(c Client) []string {
	var allow []string
	name := escape(c.Name)
	for _, p := range c.Pools {
		own := escape(p) + "." + name
		allow = append(allow,
			"jobs."+FireSub(p, c.Name), "blobs.*.fires."+own+".>", "notes.cancels."+own+".>",
			serverAPI+".DIRECT.GET."+blobStream+".blobs.*.fires."+own+".>",
			serverAPI+".DIRECT.GET."+noteStream+".notes.logs."+own+".>")
	}
	return allow
}

// bells are what an account may listen to beside its own inbox.
func bells(pools []string) []string {
	var all []string
	for _, p := range pools {
		all = append(all, bellPrefix+"."+p, bellPrefix+"."+p+".>")
	}
	return all
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
func accounts(owner string, rs []Runner, cs []Client) string {
	var b strings.Builder
	fmt.Fprintf(&b, "accounts {\n  %s {\n    jetstream: enabled\n    users: [{nkey: %s}]\n    exports: [\n", gateAccount, owner)
	for _, e := range exports {
		kind := "singleton"
		if e.many {
			kind = "stream"
		}
		fmt.Fprintf(&b, "      {service: %q, response_type: %s}\n", e.subject, kind)
	}
	fmt.Fprintf(&b, "      {stream: %q}\n    ]\n  }\n", bellPrefix+".>")
	for _, r := range rs {
		account(&b, "runner-"+r.Name, r.Key, allowed(r), bells(r.Pools))
	}
	for _, c := range cs {
		account(&b, "client-"+c.Name, c.Key, allowedClient(c), nil)
	}
	b.WriteString("}\n")
	return b.String()
}

// account writes an account with one user, who may publish to services and listen to streams of the gate's account.
func account(b *strings.Builder, name, key string, services, listen []string) {
	fmt.Fprintf(b, "  %q {\n    imports: [\n", name)
	for _, subject := range services {
		fmt.Fprintf(b, "      {service: {account: %s, subject: %q}, to: %q}\n", gateAccount, subject, local(subject))
	}
	for _, subject := range listen {
		fmt.Fprintf(b, "      {stream: {account: %s, subject: %q}}\n", gateAccount, subject)
	}
	hear := append([]string{inboxPrefix(key) + ".>"}, listen...)
	fmt.Fprintf(b, "    ]\n    users: [{nkey: %s, permissions: {publish: {allow: [%s]}, subscribe: {allow: [%s]}}}]\n  }\n",
		key, quoted(services), quoted(hear))
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", local(s))
	}
	return strings.Join(out, ", ")
}
