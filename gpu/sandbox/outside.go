package sandbox

import (
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// outside is the environment of the program that builds a sandbox and is not inside it itself: podman, systemd-run and
// systemctl. They find their images, their configuration and their manager by the home and the runtime directory of the
// user they run as, which are not those of the job. env is what the job was given; its search path, and the mark by which
// the runner finds its processes, stay.
func (s *Spec) outside(uid int, env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "HOME", name == "USER", name == "LOGNAME", name == "TMPDIR", strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "DBUS_"):
		default:
			out = append(out, kv)
		}
	}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		out = append(out, "HOME="+u.HomeDir, "USER="+u.Username, "LOGNAME="+u.Username)
	} else {
		out = append(out, "HOME=/") // podman then says which folder it cannot make
	}
	// One that belongs to somebody else is that of a runner which runs its jobs as another user.
	for _, dir := range []string{s.Runtime, "/run/user/" + strconv.Itoa(uid)} {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == uid {
			out = append(out, "XDG_RUNTIME_DIR="+dir, "DBUS_SESSION_BUS_ADDRESS=unix:path="+dir+"/bus")
			break
		}
	}
	return out
}
