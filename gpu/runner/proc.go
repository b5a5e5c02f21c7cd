package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// proc is a line of the process table.
type proc struct {
	pid, ppid, pgid int
	start           uint64
	zombie          bool
}

// readProc parses /proc/PID/stat; the command in it may hold any character, so it is read from its last parenthesis.
func readProc(pid int) (proc, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return proc{}, err
	}
	return parseStat(pid, data)
}

func parseStat(pid int, data []byte) (proc, error) {
	i := bytes.LastIndexByte(data, ')')
	f := strings.Fields(string(data[i+1:]))
	if i < 0 || len(f) < 20 {
		return proc{}, fmt.Errorf("process %d: unreadable stat line", pid)
	}
	p := proc{pid: pid, zombie: f[0] == "Z" || f[0] == "X"}
	var e1, e2, e3 error
	p.ppid, e1 = strconv.Atoi(f[1])
	p.pgid, e2 = strconv.Atoi(f[2])
	p.start, e3 = strconv.ParseUint(f[19], 10, 64)
	return p, errors.Join(e1, e2, e3)
}

func startTime(pid int) (uint64, error) {
	p, err := readProc(pid)
	return p.start, err
}

func bootID() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// allProcs skips what ends while it is read.
func allProcs() []proc {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []proc
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p, err := readProc(pid); err == nil {
				all = append(all, p)
			}
		}
	}
	return all
}

// belongs lists the living processes of an attempt: its group, everything below that, whoever carries its mark, and,
// when this process is nothing but the runner, every other child of it. The children of ours among them that are dead
// already are reaped on the way.
func (r *runner) belongs(attempt string, pgid int) []int {
	self := os.Getpid()
	procs := allProcs()
	ours := map[int]bool{}
	for _, p := range procs {
		if p.pid != self && (p.pgid == pgid || r.OwnProcess && p.ppid == self || marked(p.pid, attempt)) {
			ours[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range procs {
			if !ours[p.pid] && p.pid != self && ours[p.ppid] {
				ours[p.pid], grown = true, true
			}
		}
	}
	var living []int
	for _, p := range procs {
		switch {
		case !ours[p.pid]:
		case !p.zombie:
			living = append(living, p.pid)
		case p.ppid == self:
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
	return living
}

// marked reports whether a process was started with the attempt's mark.
func marked(pid int, attempt string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	want := []byte(mark(attempt))
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(kv, want) {
			return true
		}
	}
	return false
}

// killFor is how long a process has to die of SIGKILL. One that hangs in the driver does not.
const killFor = 5 * time.Second

func killUntilGone(living func() []int) error {
	for deadline := time.Now().Add(killFor); ; time.Sleep(10 * time.Millisecond) {
		pids := living()
		if len(pids) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v are still there %s after SIGKILL", pids, killFor)
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// endLeftovers kills the processes of an attempt of an earlier run. The recorded number counts only when the process
// started when the record says; others are known by their mark.
func endLeftovers(attempt string) (int, error) {
	pgid := 0
	if data, err := os.ReadFile(recordName(attempt)); err == nil {
		var rec processRecord
		if json.Unmarshal(data, &rec) == nil && rec.PID > 1 && rec.Boot == bootID() {
			if start, err := startTime(rec.PID); err == nil && start == rec.Start {
				pgid = rec.PID
			}
		}
	}
	if pgid == 0 {
		pgid = -1 // no process has it
	}
	none := &runner{} // not OwnProcess: other children of this process are not the old run's
	first := none.belongs(attempt, pgid)
	return len(first), killUntilGone(func() []int { return none.belongs(attempt, pgid) })
}
