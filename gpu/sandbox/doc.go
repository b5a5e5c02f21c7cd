// Package sandbox confines what strangers wrote: the step modules and scripts of commits that run beside the GPU.
//
// A confined process has namespaces of its own for users, processes, mounts, network, IPC and host name; no network, no
// capability, no way to new privileges, a filter of system calls; a root directory that is read-only and holds no more
// than the system's programs and libraries and what the Spec names; the device nodes of one GPU; a home and a /tmp of
// its own in memory, with a size; and control groups that bound its memory, processes and CPUs, by which it is killed.
//
// Nothing of this is believed because a program was told so: Choose runs Inspect inside each kind of sandbox before it
// picks one, and refuses what does not hold. With a GPU node inside, the kernel driver's own interface is exposed; a
// sandbox is no substitute for somebody looking at the change first.
package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Kind names what builds the sandbox.
type Kind string

// The kinds, in the order in which they are tried.
const (
	Podman     Kind = "podman"     // rootless, needs an image
	Bubblewrap Kind = "bubblewrap" // bwrap
	Systemd    Kind = "systemd"    // systemd-run, a transient unit
	None       Kind = "none"       // no sandbox: only when the operator wrote it out
)

// Kinds lists what Choose tries.
var Kinds = []Kind{Podman, Bubblewrap, Systemd}

// Spec says what one command may see and use. It travels as JSON to the wrapper that enters the sandbox.
type Spec struct {
	Kind    Kind     `json:"kind"`
	Program string   `json:"program,omitempty"` // bwrap, podman or systemd-run
	Image   string   `json:"image,omitempty"`   // podman
	Runtime string   `json:"runtime,omitempty"` // XDG_RUNTIME_DIR of the user who enters; used when it is that user's own
	See     []string `json:"see,omitempty"`     // files and folders that are visible, read-only, beside the system's own
	Write   []string `json:"write,omitempty"`   // folders that are visible and writable
	Devices []string `json:"devices,omitempty"` // device nodes
	Dir     string   `json:"dir"`               // to start in; must be visible
	Name    string   `json:"name,omitempty"`    // of the container or unit
	Etc     string   `json:"etc,omitempty"`     // folder with passwd and group, see WriteEtc
	Env     []string `json:"env,omitempty"`     // set inside, beside what Fixed says

	Scratch int64   `json:"scratch"`          // bytes of each file system in memory: home, /tmp, /dev/shm
	Cgroup  string  `json:"cgroup,omitempty"` // folder of the control group that the command joins
	Memory  int64   `json:"memory,omitempty"` // bytes, for kinds that make their own control group
	Pids    int64   `json:"pids,omitempty"`
	CPUs    float64 `json:"cpus,omitempty"`
}

// Home is the home directory inside.
const Home = "/home/gatebot"

// Inside are the ids that a confined process has in its user namespace.
const Inside = 1000

// Fixed are the variables that are the same in every sandbox: everything that wants to write writes into memory that
// goes with it, and no cache is shared between jobs.
func Fixed() []string {
	cache := Home + "/.cache"
	return []string{"HOME=" + Home, "USER=gatebot", "LOGNAME=gatebot", "TMPDIR=/tmp",
		"XDG_CACHE_HOME=" + cache, "XDG_CONFIG_HOME=" + Home + "/.config", "XDG_DATA_HOME=" + Home + "/.local/share",
		"TRITON_CACHE_DIR=" + cache + "/triton", "TORCHINDUCTOR_CACHE_DIR=" + cache + "/inductor",
		"TORCH_EXTENSIONS_DIR=" + cache + "/torch_extensions", "CUDA_CACHE_PATH=" + cache + "/nv", "PIP_CACHE_DIR=" + cache + "/pip"}
}

// Load reads a Spec that Store wrote.
func Load(file string) (*Spec, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	var s Spec
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("sandbox: %s: %w", file, err)
	}
	return &s, nil
}

// Store writes the Spec for the wrapper.
func (s *Spec) Store(file string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // no secret, and read by the job's user
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

// merge puts later variables over earlier ones of the same name.
func merge(lists ...[]string) []string {
	at := map[string]int{}
	var out []string
	for _, list := range lists {
		for _, kv := range list {
			name, _, _ := strings.Cut(kv, "=")
			if i, ok := at[name]; ok {
				out[i] = kv
				continue
			}
			at[name] = len(out)
			out = append(out, kv)
		}
	}
	return out
}
