package trial

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gatebot/gatebot/gpu/child"
)

//go:embed py/trial.py
var program []byte

// Options says in what the cases run.
type Options struct {
	Python string        // interpreter; empty: python3
	Probe  string        // the native probe; empty: nothing is recorded
	Jobs   int           // processes at a time; 0: as many as there are cores, 16 at most
	Each   time.Duration // limit for one case; 0: a minute
	Env    []string      // added to this process's
	Keep   string        // folder for results and traces, made here; empty: one that is removed
}

// maxJobs keeps the contexts of all processes within a few GB of device memory.
const maxJobs = 16

// Run measures the cases. A case that fails, hangs or kills its process is a Result that says so; an error means that
// there are no results.
func Run(ctx context.Context, o Options, cases []Case) (Torch, []Result, error) {
	if err := check(cases); err != nil {
		return Torch{}, nil, err
	}
	dir, remove, err := o.folder()
	if err != nil {
		return Torch{}, nil, fmt.Errorf("trial: %w", err)
	}
	defer remove()
	list, err := json.Marshal(cases)
	if err != nil {
		return Torch{}, nil, fmt.Errorf("trial: %w", err)
	}
	script, todo, results := filepath.Join(dir, "trial.py"), filepath.Join(dir, "cases.json"), filepath.Join(dir, resultsFile)
	for name, data := range map[string][]byte{script: program, todo: list} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return Torch{}, nil, fmt.Errorf("trial: %w", err)
		}
	}
	if o.Python == "" {
		o.Python = "python3"
	}
	if o.Jobs <= 0 {
		o.Jobs = min(runtime.NumCPU(), maxJobs)
	}
	if o.Each <= 0 {
		o.Each = time.Minute
	}
	ended, err := child.Run(ctx, child.Command{Path: o.Python, Env: o.env(dir), Dir: dir,
		Args: []string{script, todo, results, fmt.Sprint(o.Jobs), fmt.Sprint(o.Each.Seconds())}})
	if err != nil {
		return Torch{}, nil, fmt.Errorf("trial: %s: %w", o.Python, err)
	}
	if ended.Code != 0 {
		return Torch{}, nil, fmt.Errorf("trial: %s ended with code %d: %.300q", o.Python, ended.Code, last(ended.Stderr))
	}
	torch, done, err := Load(dir, cases)
	switch {
	case errors.Is(err, ErrNoTorch):
		return torch, nil, fmt.Errorf("%s: %w", o.Python, err)
	case err != nil:
		return torch, nil, fmt.Errorf("%w (stderr %.300q)", err, last(ended.Stderr))
	}
	return torch, done, nil
}

// folder makes the folder of a run.
func (o *Options) folder() (dir string, remove func(), err error) {
	if o.Keep != "" {
		dir, err = filepath.Abs(o.Keep)
		return dir, func() {}, errors.Join(err, os.Mkdir(dir, 0o755))
	}
	dir, err = os.MkdirTemp("", "gatebot-trial-")
	return dir, func() { _ = os.RemoveAll(dir) }, err // a leftover in /tmp is no reason to fail
}

// env loads the probe, disarmed, into every process that initialises CUDA. The threads of CPU libraries would only get
// into each other's way.
func (o *Options) env(dir string) []string {
	env := append([]string{"PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "TORCHINDUCTOR_COMPILE_THREADS=1"}, o.Env...)
	if o.Probe != "" {
		env = append(env, "CUDA_INJECTION64_PATH="+o.Probe, "GATEBOT_ARM=0",
			"GATEBOT_TRACE="+filepath.Join(dir, "trace-%p.ndjson"))
	}
	return env
}
