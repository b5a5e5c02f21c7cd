package device

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// smi puts an nvidia-smi on PATH that answers its three queries with a case of the shell each.
func smi(t *testing.T, gpu, rows, apps string) {
	t.Helper()
	script := "#!/bin/sh\ncase \"$1\" in\n--query-gpu=*) " + gpu + ";;\n--query-remapped-rows=*) " + rows + ";;\n--query-compute-apps=*) " + apps + ";;\nesac\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
}

const (
	gpuRow    = `echo "0, NVIDIA B200, GPU-1, 00000000:18:00.0, 580.1, 183359, 100, 183259, 10.0, Enabled, 0, 2, [N/A], Default, [N/A], 31"`
	noRows    = `echo "GPU-1, No, No"`
	noProcess = `:`
)

func TestReadHealth(t *testing.T) {
	smi(t, gpuRow, noRows, `echo "77, GPU-1, [N/A], python3, serve.py"; echo "78, GPU-2, 5, x"`)
	h, err := ReadHealth(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	zero, two, warm := int64(0), int64(2), int64(31)
	want := []Card{{Name: "NVIDIA B200", UUID: "GPU-1", Bus: "00000000:18:00.0", Driver: "580.1", ComputeCapability: "10.0",
		TotalBytes: 183359 << 20, UsedBytes: 100 << 20, FreeBytes: 183259 << 20, ECC: "Enabled", Uncorrected: &zero, Corrected: &two,
		RowsPending: "No", RowsFailed: "No", ComputeMode: "Default", Celsius: &warm,
		Processes: []Process{{PID: 77, Name: "python3, serve.py", UsedBytes: -1}}}}
	if d := cmp.Diff(want, h.Devices); d != "" || h.Schema != HealthSchema || h.Partly != "" {
		t.Errorf("%s %+v", d, h)
	}
	if h.Find("GPU-1") != 0 || h.Find("GPU-9") != -1 {
		t.Error("a device is found by its UUID")
	}
}

// An older nvidia-smi does not know every field: it is asked for less, and what is missing is said.
func TestOlderDriver(t *testing.T) {
	smi(t, `case "$1" in *compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2;; esac
		echo "0, Tesla V100, GPU-1, 00000000:18:00.0, 418.1, 16160, 0, 16160"`, `echo 'Option "x" is not recognized.'; exit 1`, noProcess)
	h, err := ReadHealth(context.Background())
	if err != nil || len(h.Devices) != 1 || h.Devices[0].Name != "Tesla V100" || h.Devices[0].Uncorrected != nil {
		t.Fatalf("%+v, %v", h, err)
	}
	if !strings.Contains(h.Partly, "compute_cap") || !strings.Contains(h.Partly, "not recognized") {
		t.Errorf("partly %q", h.Partly)
	}
	if p := h.Problems(0, Since); len(p) != 0 {
		t.Errorf("what is not counted is no problem: %+v", p)
	}
}

func TestReadHealthFails(t *testing.T) {
	for _, tt := range []struct {
		name, gpu string
		is        error
		says      string
	}{
		{"no driver", `echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."; exit 9`, nil, "exit code 9: NVIDIA-SMI has failed"},
		{"lost", `echo "Unable to determine the device handle for GPU0000:18:00.0: GPU is lost.  Reboot the system"; exit 15`, nil, "GPU is lost"},
		{"lost while asked", `echo "0, [GPU is lost], [GPU is lost], 0:18:00.0, 580, [GPU is lost], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"`, nil, "is the card lost?"},
		{"none", `echo "No devices were found"; exit 6`, ErrNoCUDA, "shows none"},
		{"silence", `:`, ErrNoCUDA, "shows none"},
		{"other columns", `echo "0, B200"`, nil, "line 1: 2 columns, want 16"},
		{"no index", strings.Replace(gpuRow, `"0,`, `"zero,`, 1), nil, `index "zero"`},
	} {
		smi(t, tt.gpu, noRows, noProcess)
		_, err := ReadHealth(context.Background())
		if err == nil || !strings.Contains(err.Error(), tt.says) || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := ReadHealth(context.Background()); !errors.Is(err, ErrNoHealth) {
		t.Errorf("no nvidia-smi: %v", err)
	}
}

func TestProblems(t *testing.T) {
	n := int64(3)
	good := Card{UUID: "GPU-1", Bus: "00000000:AB:00.0", TotalBytes: 100, UsedBytes: 5, ComputeMode: "Default", RowsPending: "No"}
	for _, tt := range []struct {
		name   string
		change func(*Health, *Card)
		fatal  bool
		says   string // empty: no problem
	}{
		{"healthy", func(*Health, *Card) {}, false, ""},
		{"ECC", func(_ *Health, d *Card) { d.Uncorrected = &n }, true, "3 uncorrected ECC errors"},
		{"corrected only", func(_ *Health, d *Card) { d.Corrected = &n }, false, ""},
		{"pending", func(_ *Health, d *Card) { d.RowsPending = "Yes" }, true, "wait to be remapped"},
		{"failed", func(_ *Health, d *Card) { d.RowsFailed = "Yes" }, true, "remapping of memory rows failed"},
		{"prohibited", func(_ *Health, d *Card) { d.ComputeMode = "Prohibited" }, true, "Prohibited"},
		{"another process", func(_ *Health, d *Card) { d.Processes = []Process{{PID: 7, Name: "x"}} }, false, "such as 7 x"},
		{"memory of another container", func(_ *Health, d *Card) { d.UsedBytes = 50 }, false, "no process is shown"},
		{"MIG", func(_ *Health, d *Card) { d.MIG = "Enabled" }, false, "MIG"},
		{"off the bus", func(h *Health, _ *Card) { h.Xids = []Xid{{Bus: "0000:ab:00", Code: 79, Age: time.Hour}} }, true, "Xid 79 1h0m0s ago: fallen off the bus"},
		{"a program's fault", func(h *Health, _ *Card) { h.Xids = []Xid{{Bus: "0000:ab:00", Code: 31}} }, false, "Xid 31"},
		{"long ago", func(h *Health, _ *Card) {
			h.Xids = []Xid{{Bus: "0000:ab:00", Code: 79, Age: 25 * time.Hour}}
		}, false, ""},
		{"another card", func(h *Health, _ *Card) { h.Xids = []Xid{{Bus: "0000:ac:00", Code: 79}} }, false, ""},
	} {
		h := &Health{Devices: []Card{good}}
		tt.change(h, &h.Devices[0])
		p := h.Problems(0, Since)
		if tt.says == "" {
			if len(p) != 0 {
				t.Errorf("%s: %+v", tt.name, p)
			}
			continue
		}
		if len(p) != 1 || p[0].Fatal != tt.fatal || !strings.Contains(p[0].What, tt.says) || p[0].Do == "" {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
	if p := (&Health{}).Problems(0, Since); len(p) != 1 || !p[0].Fatal {
		t.Errorf("no device: %+v", p)
	}
}

func TestScanLog(t *testing.T) {
	records := []string{
		"4,100,1000000,-;usb 1-1: new device\n",
		"3,101,2000000,-;NVRM: Xid (PCI:0000:18:00): 79, pid=1234, name=python3, GPU has fallen off the bus.\n SUBSYSTEM=pci\n",
		"", // overwritten
		"3,102,99999999999999999999,-;NVRM: Xid (PCI:0000:18:00): 13, x\n",
		"6,103,3000000,c;NVRM: Xid (PCI:0000:AB:00.0): 31, pid='<unknown>'\n",
	}
	read := func(b []byte) (int, error) {
		if len(records) == 0 {
			return 0, syscall.EAGAIN
		}
		r := records[0]
		records = records[1:]
		if r == "" {
			return 0, syscall.EPIPE
		}
		return copy(b, r), nil
	}
	got, why := scanLog(read, 10*time.Second)
	want := []Xid{{Bus: "0000:18:00", Code: 79, Text: "pid=1234, name=python3, GPU has fallen off the bus.", Age: 8 * time.Second},
		{Bus: "0000:ab:00.0", Code: 31, Text: "pid='<unknown>'", Age: 7 * time.Second}}
	if d := cmp.Diff(want, got); d != "" || why != "" {
		t.Error(d, why)
	}
	if _, why := scanLog(func([]byte) (int, error) { return 0, syscall.EINVAL }, 0); why == "" {
		t.Error("a log that cannot be read says so")
	}
}

func FuzzSMI(f *testing.F) {
	f.Add("0, NVIDIA B200, GPU-1, 00000000:18:00.0, 580.1, 183359, 100, 183259, 10.0, Enabled, 0, 2, [N/A], Default, [N/A], 31")
	f.Add("1, a, b, c, d, 1, 2, 3\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, columns := range []int{len(baseFields), len(baseFields) + len(moreFields)} {
			rows, err := parseRows(text, columns)
			for _, row := range rows {
				d, err := parseDevice(row)
				if err == nil && (d.TotalBytes < 0 || d.FreeBytes < 0) {
					t.Errorf("%q: %+v", row, d)
				}
			}
			if err != nil && !strings.Contains(err.Error(), "line ") {
				t.Errorf("%v names no line", err)
			}
		}
	})
}

func FuzzXid(f *testing.F) {
	f.Add("3,101,2000000,-;NVRM: Xid (PCI:0000:18:00): 79, x")
	f.Fuzz(func(t *testing.T, record string) {
		if x, ok := parseXid(record, time.Hour); ok && (x.Code < 0 || x.Age < 0) {
			t.Errorf("%+v", x)
		}
	})
}
