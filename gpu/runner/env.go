package runner

import (
	"os"
	"path/filepath"
	"strings"
)

// passed are the variables that the child may see of this process's: how to find programs, libraries and the GPU.
// Anything else, tokens above all, is not.
var passed = []string{
	"PATH", "LANG", "TZ", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
	"NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "VIRTUAL_ENV", "CONDA_PREFIX", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// markVar names the attempt in the environment of all its processes, so that they are found again by it.
const markVar = "GATEBOT_ATTEMPT"

func mark(attempt string) string { return markVar + "=" + attempt }

// childEnv is the whole environment of the child. Home, caches and temporary files lie in the attempt's directory and
// go with it.
func (r *runner) childEnv(attempt string) []string {
	home, tmp := filepath.Join(attempt, "home"), filepath.Join(attempt, "tmp")
	env := []string{
		"HOME=" + home, "TMPDIR=" + tmp, "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_DATA_HOME=" + filepath.Join(home, ".local", "share"),
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", mark(attempt),
		"GATEBOT_CACHE=off", // a verdict comes from this tree and from nothing that an earlier job could have left
	}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	switch ids := r.machine.uuids(); {
	case ids != "":
		env = append(env, "CUDA_VISIBLE_DEVICES="+ids)
	case r.Devices != "":
		env = append(env, "CUDA_VISIBLE_DEVICES="+r.Devices)
	}
	for _, e := range r.Env {
		if strings.Contains(e, "=") {
			env = append(env, e)
		} else if v, ok := os.LookupEnv(e); ok {
			env = append(env, e+"="+v)
		}
	}
	return env
}
