package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// podman is the command line of a rootless container that is gone when it ends. The image is the operator's; it brings
// Python and torch, and the C library that gatebot and its probe need. seccomp is a file with the filter, see Profile.
func (s *Spec) podman(seccomp string, env, argv []string) []string {
	scratch := strconv.FormatInt(s.Scratch, 10)
	args := []string{s.Program, "run", "--rm", "--init", "--network=none", "--http-proxy=false", "--cap-drop=all",
		// podman lays writable file systems without a size over /run, /tmp and /var/tmp of a read-only container otherwise.
		"--read-only", "--read-only-tmpfs=false",
		// Labels of SELinux would keep the tree and the device nodes out.
		"--security-opt=no-new-privileges", "--security-opt=label=disable", "--security-opt=seccomp=" + seccomp,
		// Whoever starts it is the same user inside; an image's own user counts for nothing.
		"--userns=keep-id", "--user=" + strconv.Itoa(os.Getuid()) + ":" + strconv.Itoa(os.Getgid()),
		"--ipc=private", "--pid=private", "--hostname=gatebot", "--pull=never", "--no-healthcheck", "--log-driver=none",
		"--shm-size=" + scratch, "--tmpfs=/tmp:rw,size=" + scratch, "--tmpfs=" + Home + ":rw,mode=0777,size=" + scratch,
		"--workdir=" + s.Dir}
	if s.Name != "" {
		args = append(args, "--name="+s.Name)
	}
	if s.Cgroup != "" {
		args = append(args, "--cgroups=disabled") // it stays in ours, which has the limits
		return s.podmanRest(args, env, argv)
	}
	if s.Memory > 0 {
		args = append(args, "--memory="+strconv.FormatInt(s.Memory, 10), "--memory-swap="+strconv.FormatInt(s.Memory, 10))
	}
	if s.Pids > 0 {
		args = append(args, "--pids-limit="+strconv.FormatInt(s.Pids, 10))
	}
	if s.CPUs > 0 {
		args = append(args, "--cpus="+strconv.FormatFloat(s.CPUs, 'f', -1, 64))
	}
	return s.podmanRest(args, env, argv)
}

func (s *Spec) podmanRest(args, env, argv []string) []string {
	for _, d := range s.Devices {
		if _, err := os.Stat(d); err == nil { // a host may lack nvidia-uvm-tools, and podman refuses what is not there
			args = append(args, "--device="+d)
		}
	}
	for _, b := range s.binds() {
		mode := ":ro"
		if b.write {
			mode = ":rw"
		}
		args = append(args, "--volume="+b.path+":"+b.path+mode)
	}
	for _, kv := range env {
		if !strings.HasPrefix(kv, "PATH=") { // the image's own
			args = append(args, "--env="+kv)
		}
	}
	args = append(args, "--entrypoint="+argv[0], s.Image)
	return append(args, argv[1:]...)
}

// profileName is the file beside passwd and group that WriteEtc makes for podman.
const profileName = "seccomp.json"

func (s *Spec) profile() string { return filepath.Join(s.Etc, profileName) }
