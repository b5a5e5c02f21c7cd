package config

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/gatebot/gatebot/internal/finding"
)

// checkNames are the checks whose level a configuration may set.
var checkNames = append([]string{finding.CheckSource}, finding.GPUChecks...)

func (d *decoder) root(n *yaml.Node, c *Config) {
	d.fields(n, "",
		field{"version", func(n *yaml.Node, key string) {
			if v := resolve(n).Value; v != "1" {
				d.fail(n, key, "version %q is not one this gatebot reads (write 1, or update gatebot)", v)
			}
		}},
		field{"hot_path", func(n *yaml.Node, key string) { d.hotPath(n, key, &c.HotPath) }},
		field{"step", func(n *yaml.Node, key string) { d.step(n, key, &c.Step) }},
		field{"checks", func(n *yaml.Node, key string) { d.checks(n, key, c.Checks) }},
		field{"device", func(n *yaml.Node, key string) { d.device(n, key, &c.Device) }},
		field{"hazards", func(n *yaml.Node, key string) { d.hazards(n, key, &c.Hazards) }},
		field{"fixlog", func(n *yaml.Node, key string) {
			d.fields(n, key,
				field{"path", d.repoPath(&c.FixLog.Path)},
				field{"heading", d.str(&c.FixLog.Heading)},
				field{"mode", d.oneOf(&c.FixLog.Mode, "pr", "push", "fragments", "notes", "off")})
		}})
}

func (d *decoder) hotPath(n *yaml.Node, key string, h *HotPath) {
	d.fields(n, key,
		field{"include", d.globs(&h.Include)},
		field{"exclude", d.globs(&h.Exclude)},
		field{"roots", d.roots(&h.Roots)},
		field{"load_time", d.roots(&h.LoadTime)},
		field{"guards", d.strs(&h.Guards)},
		field{"severity", func(n *yaml.Node, key string) {
			d.mapping(n, key, func(k, v *yaml.Node) {
				var level string
				key := join(key, k.Value)
				d.oneOf(&level, "error", "warn", "info", "off")(v, key)
				if ruleLike.MatchString(k.Value) || d.validGlob(k, key, k.Value) {
					h.Severity = append(h.Severity, SeverityRule{Match: k.Value, Severity: finding.Severity(level)})
				}
			})
		}})
}

// ruleLike is a rule id (GB301) or a whole group (GB3xx).
var ruleLike = regexp.MustCompile(`^GB\d(\d\d|xx)$`)

func (d *decoder) roots(p *[]Root) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		*p = nil
		d.list(n, key, func(v *yaml.Node, key string) {
			var s string
			d.str(&s)(v, key)
			file, name, ok := strings.Cut(s, "::")
			if !ok || file == "" || name == "" {
				d.fail(v, key, "%q is not PATH::NAME (such as dsv4/model.py::DSV4.decode_step)", s)
				return
			}
			if d.validGlob(v, key, file) && d.validGlob(v, key, name) {
				*p = append(*p, Root{Path: file, Name: name})
			}
		})
	}
}

func (d *decoder) globs(p *[]string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		d.strs(p)(n, key)
		for _, g := range *p {
			d.validGlob(n, key, g)
		}
	}
}

func (d *decoder) validGlob(n *yaml.Node, key, glob string) bool {
	if _, err := path.Match(strings.ReplaceAll(glob, "**", "*"), ""); err != nil {
		d.fail(n, key, "%q is not a glob (check the brackets)", glob)
		return false
	}
	return true
}

// repoPath is a path inside the repository: a configuration must not make gatebot write elsewhere.
func (d *decoder) repoPath(p *string) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		var s string
		d.str(&s)(n, key)
		clean := path.Clean(s)
		if s == "" || path.IsAbs(s) || clean == ".." || strings.HasPrefix(clean, "../") ||
			clean == ".git" || strings.HasPrefix(clean, ".git/") || strings.ContainsAny(s, "\\\x00\n") {
			d.fail(n, key, "%q is not a path inside the repository (write it relative to the root, with /)", s)
			return
		}
		*p = clean
	}
}

func (d *decoder) step(n *yaml.Node, key string, s *Step) {
	d.fields(n, key,
		field{"entry", d.repoPath(&s.Entry)},
		field{"python", d.str(&s.Python)},
		field{"env", func(n *yaml.Node, key string) {
			s.Env = map[string]string{}
			d.mapping(n, key, func(k, v *yaml.Node) {
				var value string
				d.str(&value)(v, join(key, k.Value))
				s.Env[k.Value] = value
			})
		}},
		field{"launch", d.str(&s.Launch)},
		field{"warmup", d.num(&s.Warmup, 1)},
		field{"steps", d.num(&s.Steps, 2)},
		field{"boundaries", func(n *yaml.Node, key string) {
			s.Boundaries = nil
			d.list(n, key, func(v *yaml.Node, key string) {
				var b int
				d.num(&b, 1)(v, key)
				s.Boundaries = append(s.Boundaries, b)
			})
		}},
		field{"capture", d.strs(&s.Capture)},
		field{"eager", d.strs(&s.Eager)},
		field{"timeout", d.duration(&s.Timeout)},
		field{"reference", d.reference(&s.Reference)},
		field{"tolerance", d.tolerance(&s.Tolerance)},
		field{"invariance", func(n *yaml.Node, key string) {
			d.fields(n, key, field{"batch", d.strs(&s.Invariance.Batch)}, field{"scratch", d.strs(&s.Invariance.Scratch)})
		}})
}

func (d *decoder) checks(n *yaml.Node, key string, checks map[string]CheckLevel) {
	known := make([]field, len(checkNames))
	for i, name := range checkNames {
		known[i] = field{name, func(n *yaml.Node, key string) {
			var l CheckLevel
			var level string
			if n = resolve(n); n.Kind == yaml.ScalarNode {
				d.oneOf(&level, "error", "warn", "off")(n, key)
			} else {
				fields := []field{{"level", d.oneOf(&level, "error", "warn", "off")}, {"max", d.bound(&l.Max)}, {"min", d.bound(&l.Min)}}
				if name == finding.CheckSync {
					fields = append(fields, field{"steps", func(n *yaml.Node, key string) {
						var steps string
						d.oneOf(&steps, "few", "all")(n, key)
						l.AllSteps = steps == "all"
					}})
				}
				d.fields(n, key, fields...)
				if level == "" {
					level = "error"
				}
			}
			l.Level = finding.Severity(level)
			checks[name] = l
		}}
	}
	d.fields(n, key, known...)
}

func (d *decoder) bound(p **float64) func(*yaml.Node, string) {
	return func(n *yaml.Node, key string) {
		v, err := strconv.ParseFloat(resolve(n).Value, 64)
		if err != nil || v < 0 {
			d.fail(n, key, "want a number of at least 0, got %q", resolve(n).Value)
			return
		}
		*p = &v
	}
}

var capability = regexp.MustCompile(`^\d+\.\d$`)

func (d *decoder) device(n *yaml.Node, key string, dev *Device) {
	d.fields(n, key,
		field{"name", d.str(&dev.Name)},
		field{"min_compute_capability", func(n *yaml.Node, key string) {
			v := resolve(n).Value
			if !capability.MatchString(v) {
				d.fail(n, key, "%q is not a compute capability (write it quoted, such as \"10.0\")", v)
				return
			}
			dev.MinComputeCapability = v
		}})
}

func (d *decoder) hazards(n *yaml.Node, key string, out *[]Hazard) {
	ids := map[string]bool{}
	d.list(n, key, func(v *yaml.Node, key string) {
		var h Hazard
		d.fields(v, key,
			field{"id", d.str(&h.ID)},
			field{"title", d.str(&h.Title)},
			field{"status", d.oneOf(&h.Status, "open", "deferred", "done")},
			field{"phase", d.str(&h.Phase)},
			field{"fix", d.str(&h.Fix)},
			field{"rules", d.strs(&h.Rules)})
		switch {
		case h.ID == "":
			d.fail(v, key, "a hazard needs an id")
		case ids[h.ID]:
			d.fail(v, key, "id %q is taken (ids are unique)", h.ID)
		}
		for _, r := range h.Rules {
			if !ruleLike.MatchString(r) {
				d.fail(v, key+".rules", "%q is not a rule id (such as GB213)", r)
			}
		}
		ids[h.ID] = true
		*out = append(*out, h)
	})
}
