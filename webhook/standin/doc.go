// Package standin plays GitHub on one machine: well enough for gatebot to do all of its work against it, and harshly
// enough to catch gatebot's mistakes. It speaks the part of the REST and GraphQL API that an App with gatebot's
// permissions uses, owns real bare repositories and serves them over smart HTTP, and sends signed webhooks.
//
// # What it is for
//
// Tests and `gatebot demo`. A [Server] is made with [New], listens after [Server.Start], and is driven from two
// sides: gatebot uses the API with an App key, a person is played through methods ([Repository.Commit],
// [Repository.OpenPull], [Repository.Merge], [Server.Rerequest] …) or through a real `git push` with a user's token.
//
// # How harsh
//
// Where GitHub documents a limit, the stand-in enforces it with GitHub's status and error shape: 50 annotations a
// request, 65,535 characters, button lengths, a conclusion with every completed run, App tokens of at most ten minutes,
// 80 content-creating requests a minute. Creating a check run is not idempotent and annotations only ever append, as
// at GitHub. What GitHub does at its worst is injected with [Server.Inject]: rate limits by 403 and by 429, server
// errors, answers that never arrive although the request was carried out.
//
// # Where the shapes come from
//
// Field names follow GitHub's OpenAPI description; the tests of this package validate every answer and every webhook
// payload against it (webhook/standin/openapi). The package knows no go-github on purpose: a mistake in that library
// must not cancel itself out.
package standin
