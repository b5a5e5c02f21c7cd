package rig

// The code that runs here is our own, and a machine that builds this repository may have no sandbox.
const runnerConfig = `queue: nats://%[1]s
name: %[3]s
nkey_file: %[4]s.nkey
pools: [default]
dir: %[2]s
sandbox: {kind: none, limits: best_effort}
`

const clientConfig = `queue: nats://%[1]s
name: ada
nkey_file: client.nkey
`
