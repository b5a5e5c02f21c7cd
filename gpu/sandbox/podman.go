package sandbox

import (
	"strconv"
	"strings"
)

// podman is the command line of a rootless container that is gone when it ends. The image is the operator's; it brings
// Python and torch.
func (s *Spec) podman(env, argv []string) []string {
	scratch := strconv.FormatInt(s.Scratch, 10)
	args := []string{s.Program, "run", "--rm", "--init", "--network=none", "--read-only", "--cap-drop=all",
		"--security-opt=no-new-privileges", "--userns=keep-id", "--ipc=private", "--pid=private", "--hostname=gatebot", "--pull=never",
		"--log-driver=none", "--shm-size=" + scratch, "--tmpfs=/tmp:rw,size=" + scratch, "--tmpfs=" + Home + ":rw,mode=0777,size=" + scratch,
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
		args = append(args, "--device="+d)
	}
	for _, p := range s.See {
		args = append(args, "--volume="+p+":"+p+":ro")
	}
	for _, p := range s.Write {
		args = append(args, "--volume="+p+":"+p+":rw")
	}
	for _, kv := range env {
		if !strings.HasPrefix(kv, "PATH=") { // the image's own
			args = append(args, "--env="+kv)
		}
	}
	args = append(args, "--entrypoint="+argv[0], s.Image)
	return append(args, argv[1:]...)
}
