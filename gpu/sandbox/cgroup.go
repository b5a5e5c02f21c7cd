package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Tree is a part of the control group hierarchy (version 2) that is ours to divide.
type Tree struct {
	dir         string
	controllers []string
}

// Limits of one group; zero means none.
type Limits struct {
	Memory int64   // bytes
	Pids   int64   // processes and threads
	CPUs   float64 // of them
}

// needed are the controllers without which a limit would be a wish.
var needed = []string{"memory", "pids", "cpu"}

// ErrNoCgroup means that limits cannot be set here.
var ErrNoCgroup = errors.New("no control groups (version 2) to divide")

// OpenTree finds or makes the folder `name` below the group that this process is in. A group that holds processes cannot
// hand its controllers down, so the process itself moves into a group beside. It needs the right to write there: that of
// a unit with Delegate=yes. Root, in a group that was not given the controllers, uses the top of the hierarchy. The Tree
// is usable when only some of the controllers are there; Missing names the others.
func OpenTree(name string) (*Tree, error) {
	mount, own, err := where()
	if err != nil {
		return nil, err
	}
	base := filepath.Join(mount, own)
	switch {
	case own == "/":
	case filepath.Base(own) == agent: // a restart inside the same unit
		base = filepath.Dir(base)
	case os.Geteuid() == 0 && !given(base):
		base = mount
	default:
		if err := moveAside(base); err != nil {
			return nil, fmt.Errorf("%w: %w (give the unit Delegate=yes, or run as root)", ErrNoCgroup, err)
		}
	}
	t := &Tree{dir: filepath.Join(base, name)}
	enable(base)
	if err := os.MkdirAll(t.dir, 0o755); err != nil { //nolint:gosec // as all of them are
		return nil, fmt.Errorf("%w: %w (give the unit Delegate=yes, or run as root)", ErrNoCgroup, err)
	}
	t.controllers = enable(t.dir)
	return t, nil
}

// given reports whether a group was handed all needed controllers.
func given(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	have := strings.Fields(string(data))
	return err == nil && !slices.ContainsFunc(needed, func(c string) bool { return !slices.Contains(have, c) })
}

// Given is nil when this process could divide control groups with all needed controllers.
func Given() error {
	mount, own, err := where()
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 && given(mount) || given(filepath.Join(mount, own)) {
		return nil
	}
	return fmt.Errorf("%w: %s was not handed %s", ErrNoCgroup, own, strings.Join(needed, ", "))
}

// agent is the group that the runner itself moves into.
const agent = "agent"

// where returns the mount point of the hierarchy and this process's group in it.
func where() (mount, own string, err error) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", ErrNoCgroup, err)
	}
	defer func() { _ = f.Close() }()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		before, after, ok := strings.Cut(sc.Text(), " - ")
		fields := strings.Fields(before)
		if ok && strings.HasPrefix(after, "cgroup2 ") && len(fields) > 4 {
			mount = fields[4]
			break
		}
	}
	data, err := os.ReadFile("/proc/self/cgroup")
	if err != nil || mount == "" {
		return "", "", fmt.Errorf("%w: none is mounted", ErrNoCgroup)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "0::"); ok {
			return mount, strings.TrimSpace(rest), nil
		}
	}
	return "", "", fmt.Errorf("%w: this process is in none", ErrNoCgroup)
}

// moveAside moves every process of base into its group "agent".
func moveAside(base string) error {
	dir := filepath.Join(base, agent)
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as all of them are
		return err
	}
	for range 100 { // those that are started meanwhile
		pids, err := members(base)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return fmt.Errorf("processes of %s do not move", base)
}

func members(dir string) ([]int, error) {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	var pids []int
	for f := range strings.FieldsSeq(string(data)) {
		if pid, err := strconv.Atoi(f); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// enable hands down what is there of the needed controllers, and returns which.
func enable(dir string) []string {
	var have []string
	for _, c := range needed {
		// Each for itself: one that is bound to an old hierarchy must not keep the others out.
		_ = os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+c), 0)
	}
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	if err != nil {
		return nil
	}
	for _, c := range strings.Fields(string(data)) {
		if slices.Contains(needed, c) {
			have = append(have, c)
		}
	}
	return have
}

// Missing are the needed controllers that limits cannot be set with.
func (t *Tree) Missing() []string {
	return slices.DeleteFunc(slices.Clone(needed), func(c string) bool { return slices.Contains(t.controllers, c) })
}

// Group is one control group. Its folder is Dir.
type Group struct{ Dir string }

// New makes a group below the tree that can have groups of its own.
func (t *Tree) New(name string) (*Group, error) {
	g := &Group{filepath.Join(t.dir, name)}
	if err := os.Mkdir(g.Dir, 0o755); err != nil { //nolint:gosec // as all of them are
		return nil, fmt.Errorf("sandbox: control group: %w", err)
	}
	enable(g.Dir)
	return g, nil
}

// New makes a group below a group, with limits. Those whose controller is missing are left out: see Tree.Missing.
func (g *Group) New(name string, l Limits) (*Group, error) {
	n := &Group{filepath.Join(g.Dir, name)}
	if err := os.Mkdir(n.Dir, 0o755); err != nil { //nolint:gosec // as all of them are
		return nil, fmt.Errorf("sandbox: control group: %w", err)
	}
	set := func(on bool, file, value string) error {
		if !on {
			return nil
		}
		err := os.WriteFile(filepath.Join(n.Dir, file), []byte(value), 0)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && !exists(filepath.Join(n.Dir, file)) {
			return nil // no such controller
		}
		if err != nil {
			return fmt.Errorf("sandbox: control group: %w", err)
		}
		return nil
	}
	return n, errors.Join(
		set(l.Memory > 0, "memory.max", strconv.FormatInt(l.Memory, 10)),
		set(l.Memory > 0, "memory.swap.max", "0"),
		set(l.Pids > 0, "pids.max", strconv.FormatInt(l.Pids, 10)),
		set(l.CPUs > 0, "cpu.max", fmt.Sprintf("%d 100000", int64(l.CPUs*100000))))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Give lets a user move its processes within the group.
func (g *Group) Give(uid, gid int) error {
	return filepath.WalkDir(g.Dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && (d.IsDir() || d.Name() == "cgroup.procs") {
			err = os.Lchown(p, uid, gid)
		}
		return err
	})
}

// Event reads a counter such as oom_kill of memory.events, or max of pids.events; 0 when there is none.
func (g *Group) Event(file, name string) int {
	data, err := os.ReadFile(filepath.Join(g.Dir, file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && key == name {
			n, _ := strconv.Atoi(value) // a number, by the kernel's word
			return n
		}
	}
	return 0
}

// killFor is how long the members have to be gone. One that hangs in the driver is not.
const killFor = 5 * time.Second

// Kill ends everything in the group and below it, whatever session or parent it has chosen, and removes the group. The
// error says what did not go.
func (g *Group) Kill() error {
	for deadline := time.Now().Add(killFor); ; time.Sleep(5 * time.Millisecond) {
		if err := os.WriteFile(filepath.Join(g.Dir, "cgroup.kill"), []byte("1"), 0); err != nil && errors.Is(err, fs.ErrNotExist) {
			if !exists(g.Dir) {
				return nil
			}
			return fmt.Errorf("sandbox: %s has no cgroup.kill (Linux 5.14 or newer is needed)", g.Dir)
		}
		if g.populated() == 0 {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("sandbox: processes of %s are still there %s after SIGKILL", g.Dir, killFor)
		}
	}
	return g.remove()
}

func (g *Group) populated() int { return g.Event("cgroup.events", "populated") }

// remove takes the folders away, the innermost first. A group is busy for a moment after its last process.
func (g *Group) remove() error {
	var dirs []string
	err := filepath.WalkDir(g.Dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, p)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, dir := range slices.Backward(dirs) {
		rm := os.Remove(dir)
		for i := 0; rm != nil && i < 100 && !errors.Is(rm, fs.ErrNotExist); i++ {
			time.Sleep(5 * time.Millisecond)
			rm = os.Remove(dir)
		}
		if rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	if err != nil {
		return fmt.Errorf("sandbox: control group not removed: %w", err)
	}
	return nil
}

// Leftovers are the groups that an earlier process made and did not remove.
func (t *Tree) Leftovers() []*Group {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return nil
	}
	var all []*Group
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, &Group{filepath.Join(t.dir, e.Name())})
		}
	}
	return all
}

// Close removes the tree when nothing is left in it.
func (t *Tree) Close() { _ = os.Remove(t.dir) } // else it is used again by the next start
