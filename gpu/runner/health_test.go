package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gatebot/gatebot/gpu/device"
	"github.com/gatebot/gatebot/gpu/sandbox"
	"github.com/gatebot/gatebot/internal/program"
	"github.com/gatebot/gatebot/internal/queue"
)

const uuid = "GPU-11111111-2222-3333-4444-555555555555"

// smiRow is a card as nvidia-smi tells of it, memory in MiB.
func smiRow(uuid, total, used, ecc string) string {
	return "0, NVIDIA B200, " + uuid + ", 00000000:00:06.0, 580.1, " + total + ", " + used + ", 900, 10.0, Enabled, " + ecc + ", 0, 0, Default, [N/A], 31\n"
}

// fakeSMI writes an nvidia-smi that prints what two files hold.
func fakeSMI(t *testing.T) (smi string, card, apps func(string)) {
	t.Helper()
	dir := t.TempDir()
	put := func(name string) func(string) {
		return func(text string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	smi = filepath.Join(dir, "nvidia-smi")
	script := fmt.Sprintf("#!/bin/sh\ncase \"$1\" in\n--query-gpu*) cat %s/card ;;\n*) cat %s/apps ;;\nesac\n[ ! -e %s/broken ]\n", dir, dir, dir)
	program.Write(t, smi, script)
	card, apps = put("card"), put("apps")
	card(smiRow(uuid, "1000", "10", "0"))
	apps("")
	return smi, card, apps
}

// sick is a runner with a pretend card.
func sick(t *testing.T) (r *runner, card, apps func(string)) {
	t.Helper()
	r = &runner{Options: options(t, queue.NewMemory(), "pass"), xids: &device.XidLog{}, log: discard}
	r.Health = Health{Settle: 50 * time.Millisecond, Retry: time.Millisecond}
	r.Health.fill()
	r.machine.gpus = []sandbox.GPU{{UUID: uuid, Bus: "0000:00:06.0", Node: "/dev/nvidia0"}}
	r.SMI, card, apps = fakeSMI(t)
	r.noteECC(t.Context())
	return r, card, apps
}

// TestFit: what keeps a job off a card, each with its reason.
func TestFit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ card, apps, want string }{
		"well":                 {smiRow(uuid, "1000", "10", "0"), "", ""},
		"does not count ECC":   {smiRow(uuid, "1000", "10", "[N/A]"), "", ""},
		"somebody else's":      {smiRow("GPU-other", "1000", "10", "0") + smiRow(uuid, "1000", "10", "0"), "1, GPU-other, 5, x\n", ""},
		"used":                 {smiRow(uuid, "1000", "10", "0"), "4711, " + uuid + ", [N/A], python3, with a comma\n", "used by process 4711 python3, with a comma"},
		"memory is not free":   {smiRow(uuid, "1000", "200", "0"), "", "800 of 1000 MiB free"},
		"memory errors":        {smiRow(uuid, "1000", "10", "3"), "", "3 uncorrected memory errors more"},
		"gone":                 {smiRow("GPU-other", "1000", "10", "0"), "", "is gone"},
		"no numbers":           {smiRow(uuid, "[N/A]", "10", "0"), "", "is the card lost?"},
		"not what was asked":   {"Failed to initialize NVML\n", "", "columns, want 16"},
		"not even one card":    {"", "", "is gone"},
		"a line cut off":       {uuid + ", 1000\n", "", "columns, want 16"},
		"processes unreadable": {smiRow(uuid, "1000", "10", "0"), "x\n", "columns, want 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, card, apps := sick(t)
			card(c.card)
			apps(c.apps)
			err := r.fit(t.Context())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestSettled: what a job leaves on the card is waited for; a fault of the card itself is told apart from it.
func TestSettled(t *testing.T) {
	t.Parallel()
	r, card, apps := sick(t)
	apps("9, " + uuid + ", 5, python3\n")
	if err := r.settled(t.Context()); err == nil || errors.Is(err, errHardware) {
		t.Errorf("a process left behind: %v", err)
	}
	apps("")
	card(smiRow(uuid, "1000", "10", "1"))
	if err := r.settled(t.Context()); !errors.Is(err, errHardware) {
		t.Errorf("a memory error: %v", err)
	}
	card(smiRow(uuid, "1000", "10", "0"))
	log := []string{"4,1,2,-;NVRM: Xid (PCI:0000:00:06): 79, pid=1, GPU has fallen off the bus.\n"}
	r.xids = device.FollowRecords([]string{"0000:00:06.0"}, func(buf []byte) (int, error) {
		if len(log) == 0 {
			return 0, syscall.EAGAIN
		}
		n := copy(buf, log[0])
		log = log[1:]
		return n, nil
	})
	if err := r.settled(t.Context()); !errors.Is(err, errHardware) || !strings.Contains(err.Error(), "fallen off the bus") {
		t.Errorf("Xid 79: %v", err)
	}
}

// TestQuarantine: a card that is not well sends the job back untouched and keeps the runner out, over a restart too,
// until it is well again; what an operator sets only an operator ends.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	r, card, _ := sick(t)
	q := r.q
	if q == nil {
		q = r.Queue
	}
	card(smiRow(uuid, "1000", "900", "0"))
	r.work = &workDir{attempts: filepath.Join(r.WorkDir, "attempts")}
	if err := os.MkdirAll(r.work.attempts, 0o700); err != nil {
		t.Fatal(err)
	}
	r.q, r.notes, r.grants = q, q.(queue.Notes), q.(queue.Grants)
	var err error
	if r.spool, err = openSpool(filepath.Join(r.WorkDir, "spool")); err != nil {
		t.Fatal(err)
	}
	send(t, q, aJob(t, q, "job"))
	c := queue.JobConsumer("p")
	c.Lease = time.Minute
	m, err := q.Next(t.Context(), queue.Jobs, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.handle(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if res := nextResult(t, q, 20*time.Millisecond); res != nil {
		t.Errorf("a sick runner made a result: %+v", res)
	}
	if m, err = q.Next(t.Context(), queue.Jobs, c); err != nil || m.Deliveries() != 2 {
		t.Errorf("the job did not come back: %v", err)
	}
	if ctx := t.Context(); r.admitted(ctx) || !strings.Contains(r.reason, "MiB free") {
		t.Errorf("it takes jobs: %q", r.reason)
	}
	r.beat1(t.Context(), queue.RunnerQuarantined, "")
	if s := r.state.now; s.Since.IsZero() || s.Manual || len(s.Cards) != 1 || s.Cards[0].UsedBytes != 900<<20 || s.Cards[0].TotalBytes != 1000<<20 {
		t.Errorf("the server is told %+v", s)
	}
	again := &runner{Options: r.Options, log: discard, machine: r.machine, xids: &device.XidLog{}, q: q} // after a restart
	if again.examine(t.Context()) == nil || ReadQuarantine(r.WorkDir) == nil {
		t.Error("a restart let it in")
	}
	if err := SetQuarantine(r.WorkDir, "maintenance"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond)
	if again.admitted(t.Context()) || again.reason != "maintenance" {
		t.Errorf("an operator's word does not count: %q", again.reason)
	}
	again.beat1(t.Context(), queue.RunnerQuarantined, "")
	if s := again.state.now; !s.Manual || s.Reason != "maintenance" {
		t.Errorf("the server is told %+v", s)
	}
	if err := SetQuarantine(r.WorkDir, ""); err != nil {
		t.Fatal(err)
	}
	if !again.admitted(t.Context()) {
		t.Errorf("not let in again: %q", again.reason)
	}
	if err := os.WriteFile(quarantineName(r.WorkDir), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again.admitted(t.Context()) {
		t.Error("a file that cannot be read lets it in")
	}
}

// TestOneJobPerGPU: two runners of one host with one device: the second takes no job while the first has one.
func TestOneJobPerGPU(t *testing.T) {
	t.Parallel()
	first, second := &runner{}, &runner{}
	dir := t.TempDir()
	for _, r := range []*runner{first, second} {
		r.Options, r.log = options(t, queue.NewMemory(), "pass"), discard
		r.LockDir, r.machine.gpus = dir, []sandbox.GPU{{UUID: uuid}}
	}
	second.machine.gpus = append(second.machine.gpus, sandbox.GPU{UUID: "GPU-0"})
	send(t, second.Queue, aJob(t, second.Queue, "job"))
	held, ok, err := first.lockGPUs()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	trier := second.Queue.(queue.Trier)
	if m, _, err := second.tryTake(t.Context(), trier); m != nil || !errors.Is(err, errDeviceBusy) {
		t.Errorf("both have the device: %v, %v", m, err)
	}
	held.release()
	m, done, err := second.tryTake(t.Context(), trier)
	if m == nil || err != nil || m.Deliveries() != 1 {
		t.Fatalf("the device is free: %v, %v", m, err)
	}
	if _, ok, _ := first.lockGPUs(); ok {
		t.Error("both have the device")
	}
	done()
	if l, ok, err := first.lockGPUs(); !ok || err != nil {
		t.Error(ok, err)
	} else {
		l.release()
	}
}

// TestFaultsInARow: broken code cannot quarantine a runner; a broken machine that shows itself that way does.
func TestFaultsInARow(t *testing.T) {
	t.Parallel()
	r, card, _ := sick(t)
	r.Health.Off = true // nothing to find
	for range 2 * maxFaults {
		r.count(t.Context(), true, "exit 3")
	}
	if q := ReadQuarantine(r.WorkDir); q != nil && strings.Contains(q.Reason, "exit 3") {
		t.Errorf("quarantined for nothing: %+v", q)
	}
	r.Health.Off = false
	if err := SetQuarantine(r.WorkDir, ""); err != nil {
		t.Fatal(err)
	}
	card("")
	r.count(t.Context(), true, "one")
	if ReadQuarantine(r.WorkDir) != nil {
		t.Error("one fault was enough")
	}
	r.count(t.Context(), true, "two")
	if ReadQuarantine(r.WorkDir) == nil {
		t.Error("a card that is gone was not noticed")
	}
}
