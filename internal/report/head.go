package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gatebot/gatebot/internal/finding"
)

// words are the verdict and one sentence that says why.
func words(r *finding.Results) (word, headline string) {
	switch r.Verdict {
	case finding.VerdictPass:
		return "pass", passed(r)
	case finding.VerdictFail:
		return "fail", first(r, finding.StatusFail, "a required check failed")
	}
	return "no verdict", first(r, finding.StatusError, "the checks could not finish, which is no pass")
}

// first is the reason of the first required check of a status, in the order in which the checks tell most.
func first(r *finding.Results, status finding.Status, fallback string) string {
	order := []string{finding.CheckSync, finding.CheckCapture, finding.CheckReplay, finding.CheckSource, finding.CheckDrift,
		finding.CheckAlloc, finding.CheckCanary, finding.CheckSpeed}
	checks := slices.Clone(r.Checks)
	slices.SortStableFunc(checks, func(a, b finding.CheckResult) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	for _, required := range []bool{true, false} {
		for _, c := range checks {
			if c.Required == required && c.Status == status && c.Reason != "" {
				return sentence(c.Name + ": " + c.Reason)
			}
		}
	}
	if len(r.Reasons) > 0 {
		return sentence(r.Reasons[0])
	}
	return sentence(fallback)
}

// passed says what was proven, and how far the proof goes.
func passed(r *finding.Results) string {
	var parts []string
	for _, c := range r.Checks {
		m := c.Metrics
		switch {
		case c.Status != finding.StatusPass:
		case c.Name == finding.CheckSync:
			parts = append(parts, "no hidden sync")
		case c.Name == finding.CheckCapture && len(c.Regions) > 0:
			parts = append(parts, fmt.Sprintf("%d of %d regions captured", count(c.Regions, finding.StatusPass), len(c.Regions)))
		case c.Name == finding.CheckReplay && m["steps"] > 0:
			parts = append(parts, fmt.Sprintf("replay equal bit for bit over %s steps", number(m["steps"])))
		case c.Name == finding.CheckSpeed && m["speedup"] > 0:
			parts = append(parts, fmt.Sprintf("%.2f× as fast as eager", m["speedup"]))
		}
	}
	if len(parts) == 0 {
		return "The source scan found nothing that gates. No GPU check ran."
	}
	return sentence(strings.Join(parts, ", "))
}

func count(rs []finding.RegionResult, s finding.Status) (n int) {
	for _, r := range rs {
		if r.Status == s {
			n++
		}
	}
	return n
}

// sentence begins with a capital letter.
func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func facts(in Input) []Fact {
	r := in.Results
	var out []Fact
	add := func(name, value string, mono bool) {
		if value != "" {
			out = append(out, Fact{name, value, mono})
		}
	}
	add("commit", short(r.Commit), true)
	add("tree", short(r.Tree), true)
	if d := r.Device; d != nil {
		add("device", d.Name, false)
		add("compute capability", d.ComputeCapability, false)
		add("driver", d.Driver, false)
		add("CUDA", d.CUDA, false)
	} else if !ranOnDevice(r) {
		add("device", "none: the checks on the GPU did not run", false)
	}
	add("gatebot", r.Tool.Version, true)
	add("rules", short(r.Tool.Rules), true)
	if !in.When.IsZero() {
		add("time", in.When.UTC().Format("2006-01-02 15:04 UTC"), false)
	}
	s := r.Summary
	if s.Files > 0 {
		add("looked at", fmt.Sprintf("%s, %s, %d of them on the hot path", plural(s.Files, "file"), plural(s.Functions, "function"), s.HotFunctions), false)
	}
	return out
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

// unitNames are the endings of metric names that say a unit.
var unitNames = []struct{ suffix, unit string }{{"_us_per_step", " µs a step"}, {"_bytes_per_step", " bytes a step"},
	{"_per_step", " a step"}, {"_us", " µs"}, {"_ms", " ms"}, {"_bytes", " bytes"}}

func checkLine(c *finding.CheckResult) Check {
	out := Check{Name: c.Name, Status: c.Status, Required: c.Required, Reason: c.Reason}
	for _, k := range slices.Sorted(maps.Keys(c.Metrics)) {
		name, value := k, number(c.Metrics[k])
		for _, u := range unitNames {
			base, ok := strings.CutSuffix(k, u.suffix)
			if !ok {
				continue
			}
			name, value = base, value+u.unit
			if strings.HasPrefix(u.unit, " µs") {
				value = micros(c.Metrics[k]) + strings.TrimPrefix(u.unit, " µs")
			}
			break
		}
		out.Metrics = append(out.Metrics, Fact{Name: strings.ReplaceAll(name, "_", " "), Value: value})
	}
	return out
}

// number writes v with as many digits as a reader needs.
func number(v float64) string {
	switch {
	case v == float64(int64(v)):
		return strconv.FormatInt(int64(v), 10)
	case v >= 100 || v <= -100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ranOnDevice reports whether a check that needs a device gave a result.
func ranOnDevice(r *finding.Results) bool {
	return slices.ContainsFunc(r.Checks, func(c finding.CheckResult) bool {
		return slices.Contains(finding.GPUChecks, c.Name) && (c.Status == finding.StatusPass || c.Status == finding.StatusFail)
	})
}

// micros writes a time given in µs, in ms when it is long.
func micros(us float64) string {
	if us >= 10_000 {
		return number(us/1000) + " ms"
	}
	return number(us) + " µs"
}
