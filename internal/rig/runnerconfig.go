package rig

const runnerConfig = `queue: nats://%[1]s
name: bench
nkey_file: runner.nkey
pools: [default]
dir: %[2]s
`
