package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// libraryCall knows the functions of the standard library and of logging that touch values.
func (fr *frame) libraryCall(c *Call) (*Value, bool) {
	switch {
	case c.Name == "warnings.warn":
		for _, a := range c.Args {
			fr.format(a.Node, a.Value, FormatLog, "warning")
		}
		return none, true
	case strings.HasPrefix(c.Name, "logging.") && isLogLevel(last(c.Name)), fr.isLogger(c):
		for _, a := range c.Args {
			if a.Name == "" {
				fr.format(a.Node, a.Value, FormatLog, last(c.Name))
			}
		}
		return none, true
	case c.Name == "torch.device":
		return fr.newDevice(c), true
	case c.Name == "types.SimpleNamespace":
		o := fr.objectAt(c.Node)
		for _, a := range c.Args {
			switch {
			case a.Name != "":
				fr.put(o, a.Name, a.Value)
			case a.Star == 2 && a.Value.Obj != nil:
				for _, k := range sortedKeys(a.Value.Obj.all()) {
					fr.put(o, k, a.Value.Obj.attrs[k])
				}
			}
		}
		return &Value{Kind: KindInstance, Rank: -1, Place: PlaceHost, Sure: Likely, Obj: o}, true
	case c.Name == "collections.OrderedDict", c.Name == "collections.defaultdict":
		return fr.newDict(c, unknown), true
	case c.Name == "collections.deque":
		if v := c.Value(0, "iterable"); v != nil {
			return list(v.Element()), true
		}
		return list(nil), true
	case strings.HasPrefix(c.Name, "math.") || strings.HasPrefix(c.Name, "time.") || strings.HasPrefix(c.Name, "random."):
		return number, true
	case strings.HasPrefix(c.Name, "itertools."):
		var e *Value
		for _, a := range c.Args {
			fr.iterateCall(a, c.Name)
			e = join(e, fr.iterated(a.Value, a.Node))
		}
		if c.Name == "itertools.chain.from_iterable" {
			e = e.Element()
		}
		return list(e), true
	}
	return nil, false
}

func isLogLevel(s string) bool {
	switch s {
	case "debug", "info", "warning", "warn", "error", "exception", "critical", "log", "info_once", "warning_once", "debug_once":
		return true
	}
	return false
}

// isLogger recognizes logger.info(…) by the name of the object: loggers come from too many places to follow.
func (fr *frame) isLogger(c *Call) bool {
	if c.Node == nil {
		return false
	}
	a, ok := c.Node.Func.(*pyast.Attr)
	if !ok || !isLogLevel(a.Name) {
		return false
	}
	d, ok := dotted(a.X)
	if !ok {
		return false
	}
	n := strings.ToLower(strings.Trim(last(d), "_"))
	return n == "logger" || n == "log" || n == "logging" || strings.HasSuffix(n, "_logger")
}

func (fr *frame) newDevice(c *Call) *Value {
	v := c.Value(0, "type")
	if v == nil {
		v = c.Value(0, "device")
	}
	if p, ok := deviceOf(v); ok {
		s, _ := v.Str()
		return device(p, s).with(func(d *Value) { d.Sure = v.Sure })
	}
	if v.IsUnknown() || v.Kind == KindString {
		return device(PlaceDevice, "")
	}
	return v
}
