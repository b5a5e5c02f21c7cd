package device

import (
	"fmt"
	"strconv"
	"strings"
)

// parseRows splits the CSV of nvidia-smi. Its fields are separated by a comma and a blank and never quoted, so that only
// the last one, a process's name, can hold a comma.
func parseRows(text string, columns int) ([][]string, error) {
	var out [][]string
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		row := strings.SplitN(line, ", ", columns)
		if len(row) != columns {
			return nil, fmt.Errorf("nvidia-smi: line %d: %d columns, want %d: %.200q", n, len(row), columns, line)
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		out = append(out, row)
	}
	return out, nil
}

func parseDevice(row []string) (d Card, err error) {
	d = Card{Name: row[1], UUID: row[2], Bus: row[3], Driver: row[4], Processes: []Process{}}
	if d.Index, err = strconv.Atoi(row[0]); err != nil {
		return d, fmt.Errorf("index %q", row[0])
	}
	for i, to := range map[int]*int64{5: &d.TotalBytes, 6: &d.UsedBytes, 7: &d.FreeBytes} {
		mib := count(row[i])
		if mib == nil {
			return d, fmt.Errorf("device %d: memory %q (is the card lost?)", d.Index, row[i])
		}
		*to = *mib << 20
	}
	if len(row) == len(baseFields) {
		return d, nil
	}
	more := row[len(baseFields):]
	d.ComputeCapability, d.ECC, d.ComputeMode, d.MIG = known(more[0]), known(more[1]), known(more[5]), known(more[6])
	d.Uncorrected, d.Corrected, d.UncorrectedEver, d.Celsius = count(more[2]), count(more[3]), count(more[4]), count(more[7])
	return d, nil
}

func parseProcess(row []string) (Process, error) {
	pid, err := strconv.Atoi(row[0])
	if err != nil {
		return Process{}, fmt.Errorf("process %q", row[0])
	}
	p := Process{PID: pid, Name: row[3], UsedBytes: -1}
	if mib := count(row[2]); mib != nil {
		p.UsedBytes = *mib << 20
	}
	return p, nil
}

// known is empty for what nvidia-smi writes where there is no value: [N/A], [Not Supported], N/A.
func known(s string) string {
	if strings.HasPrefix(s, "[") || s == "N/A" {
		return ""
	}
	return s
}

// count is nil where there is no number. None is as large as to overflow when it is MiB.
func count(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 44)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}
