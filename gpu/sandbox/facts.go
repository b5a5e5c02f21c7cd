package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Facts are what a process can see and do, found by trying.
type Facts struct {
	UID        int      `json:"uid"`
	Caps       string   `json:"caps"` // effective, as in /proc/self/status
	NoNewPrivs string   `json:"no_new_privs"`
	Seccomp    string   `json:"seccomp"` // 2: filtered
	Interfaces []string `json:"interfaces"`
	Processes  int      `json:"processes"`
	Writable   []string `json:"writable"` // folders where a file could be made
	Readable   []string `json:"readable"` // of those that were asked for
	// IDs tells the readable ones from files of the same name that an image brings: see OfThisMachine.
	IDs        map[string]string `json:"ids,omitempty"`
	Devices    []string          `json:"devices"`    // GPU device nodes
	Namespaces bool              `json:"namespaces"` // a new user namespace could be made
	Vsock      bool              `json:"vsock"`      // a socket of a virtual machine's host could be made
}

// Inspect tries what a job must not be able to do. ask are paths of the machine outside that must not be readable.
func Inspect(ask []string) Facts {
	f := Facts{UID: os.Getuid()}
	if data, err := os.ReadFile("/proc/self/status"); err == nil {
		f.Caps, f.NoNewPrivs, f.Seccomp = field(data, "CapEff"), field(data, "NoNewPrivs"), field(data, "Seccomp")
	}
	if list, err := net.Interfaces(); err == nil {
		for _, i := range list {
			f.Interfaces = append(f.Interfaces, i.Name)
		}
	}
	if entries, err := os.ReadDir("/proc"); err == nil {
		for _, e := range entries {
			if _, err := strconv.Atoi(e.Name()); err == nil {
				f.Processes++
			}
		}
	}
	for _, dir := range []string{"/", "/usr", "/etc", "/dev", "/run", "/sys", "/bin", "/lib", "/opt", "/var", "/root", "/proc/sys", "/sys/fs/cgroup"} {
		name := filepath.Join(dir, ".gatebot-probe")
		if err := os.WriteFile(name, nil, 0o600); err == nil {
			f.Writable = append(f.Writable, dir)
			_ = os.Remove(name)
		}
	}
	for _, p := range ask {
		if readable(p) {
			f.Readable = append(f.Readable, p)
			if id, err := identity(p); err == nil {
				if f.IDs == nil {
					f.IDs = map[string]string{}
				}
				f.IDs[p] = id
			}
		}
	}
	f.Devices, _ = filepath.Glob("/dev/nvidia[0-9]*") // the pattern is right
	f.Namespaces, f.Vsock = makesNamespaces(), opensVsock()
	return f
}

// OfThisMachine drops from Readable what is not this machine's own file: an image has its own /var/log. It is called
// outside; whatever cannot be told apart stays.
func (f *Facts) OfThisMachine() {
	f.Readable = slices.DeleteFunc(f.Readable, func(p string) bool {
		here, err := identity(p)
		inside, known := f.IDs[p]
		return errors.Is(err, fs.ErrNotExist) || err == nil && known && here != inside
	})
}

// identity is the file system and the number of a file in it; a bind mount of the file has the same.
func identity(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino), nil
}

// readable: a file that can be opened, or a folder with something in it.
func readable(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		return err == nil && len(entries) > 0
	}
	f, err := os.Open(path)
	if err == nil {
		_ = f.Close()
	}
	return err == nil
}

func field(status []byte, name string) string {
	for line := range strings.Lines(string(status)) {
		if key, value, ok := strings.Cut(line, ":"); ok && key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Holds is nil when these are the facts of a job that is confined to these devices.
func (f *Facts) Holds(devices []string) error {
	var bad []string
	no := func(wrong bool, format string, v ...any) {
		if wrong {
			bad = append(bad, fmt.Sprintf(format, v...))
		}
	}
	no(f.UID == 0, "it runs as root")
	no(strings.Trim(f.Caps, "0") != "" || f.Caps == "", "it has capabilities (%s)", f.Caps)
	no(f.NoNewPrivs != "1", "it can gain privileges (no_new_privs is %q)", f.NoNewPrivs)
	no(f.Seccomp != "2", "system calls are not filtered")
	for _, i := range f.Interfaces {
		no(i != "lo", "it has the network interface %s", i)
	}
	no(f.Processes > 8 || f.Processes == 0, "it sees %d processes", f.Processes)
	no(len(f.Writable) > 0, "it can write to %s", strings.Join(f.Writable, ", "))
	no(len(f.Readable) > 0, "it can read %s", strings.Join(f.Readable, ", "))
	no(f.Namespaces, "it can make user namespaces")
	no(f.Vsock, "it can speak to the host of this virtual machine")
	for _, d := range f.Devices {
		no(!slices.Contains(devices, d), "it has the device %s", d)
	}
	if len(bad) == 0 {
		return nil
	}
	return errors.New(strings.Join(bad, "; "))
}
