package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// system are the folders whose programs and libraries every job sees.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store"}

// etc are the files of /etc that programs need to run. The rest of it, keys and configuration above all, is not there.
var etc = []string{"alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl", "pki", "ca-certificates", "localtime",
	"timezone", "nsswitch.conf", "protocols", "services", "nv_tegra_release", "OpenCL", "vulkan", "python3", "python3.12", "mime.types"}

// bubblewrap is bwrap's command line; seccomp is the number of an open file with the filter. Later mounts lie over
// earlier ones.
func (s *Spec) bubblewrap(seccomp int, argv []string) []string {
	scratch := strconv.FormatInt(s.Scratch, 10)
	args := []string{s.Program, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
		"--unshare-cgroup-try", "--uid", strconv.Itoa(Inside), "--gid", strconv.Itoa(Inside), "--hostname", "gatebot", "--cap-drop", "ALL",
		"--die-with-parent", "--new-session"}
	for _, dir := range system {
		if target, err := os.Readlink(dir); err == nil {
			args = append(args, "--symlink", target, dir) // /bin of a merged /usr
		} else {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	args = append(args, "--ro-bind-try", "/sys", "/sys", "--proc", "/proc", "--dev", "/dev", "--size", scratch, "--tmpfs", "/dev/shm")
	for _, d := range s.Devices {
		args = append(args, "--dev-bind-try", d, d)
	}
	for _, name := range etc {
		args = append(args, "--ro-bind-try", "/etc/"+name, "/etc/"+name)
	}
	if s.Etc != "" {
		for _, name := range []string{"passwd", "group", "hosts"} {
			args = append(args, "--ro-bind", filepath.Join(s.Etc, name), "/etc/"+name)
		}
	}
	args = append(args, "--size", scratch, "--tmpfs", "/tmp", "--size", scratch, "--tmpfs", Home, "--dir", "/run", "--dir", "/var/tmp")
	for _, b := range s.binds() {
		how := "--ro-bind"
		if b.write {
			how = "--bind"
		}
		args = append(args, how, b.path, b.path)
	}
	args = append(args, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", s.Dir, "--seccomp", strconv.Itoa(seccomp), "--")
	return append(args, argv...)
}

// visible reports whether a path can be seen inside.
func (s *Spec) visible(path string) bool {
	for _, dir := range slices.Concat(system, s.See, s.Write) {
		if path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/") {
			return true
		}
	}
	return false
}

type bind struct {
	path  string
	write bool
}

// binds are See and Write with folders before what lies in them, so that a part of a writable folder can be read-only
// and the other way round. What is in both is writable.
func (s *Spec) binds() []bind {
	all := map[string]bool{}
	for _, p := range s.See {
		all[filepath.Clean(p)] = false
	}
	for _, p := range s.Write {
		all[filepath.Clean(p)] = true
	}
	var list []bind
	for _, p := range slices.Sorted(maps.Keys(all)) {
		list = append(list, bind{p, all[p]})
	}
	return list
}
