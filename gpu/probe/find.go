package probe

import "github.com/gatebot/gatebot/gpu/probelib"

// Library is the file name of the native probe.
const Library = probelib.Name

// EnvLibrary names the native probe, instead of the one beside the program.
const EnvLibrary = probelib.EnvLibrary

// ErrMissing is wrapped when there is no native probe.
var ErrMissing = probelib.ErrMissing

// Find gives the absolute path of the native probe.
func Find() (string, error) { return probelib.Find() }
