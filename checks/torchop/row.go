package torchop

import (
	"fmt"
	"strings"
)

// A row is: prefixes, names, result, rank, sync, parameters, allocation, measured, family, note; separated by tabs, "-" for
// empty. Prefixes and names make the cross product, so one row holds a family. A star after the rank marks a result
// whose size depends on values. Sync is never, always, if:a|b, if:a!x (operand a unless x is given), missing:x|y,
// transfer, flag:x, distinct, depends. Measured is +name (waits) or -name (does not), separated by blanks.
const columns = 10

func addRow(ops map[string]*Op, line string) error {
	f := strings.Split(line, "\t")
	if len(f) != columns {
		return fmt.Errorf("%d columns, want %d", len(f), columns)
	}
	proto, err := parseRow(f)
	if err != nil {
		return err
	}
	prefixes, names := strings.Fields(f[0]), strings.Fields(f[1])
	all := make([]Op, 0, len(prefixes)*len(names)) // in one piece: there are two thousand
	for _, prefix := range prefixes {
		for _, name := range names {
			op := *proto
			op.Name = prefix + "." + name
			if prev, ok := ops[op.Name]; ok {
				return fmt.Errorf("%s is there twice (%+v)", op.Name, prev.Result)
			}
			all = append(all, op)
			ops[op.Name] = &all[len(all)-1]
		}
	}
	return nil
}

func parseRow(f []string) (*Op, error) {
	op := &Op{Family: dash(f[8]), Note: dash(f[9])}
	var ok bool
	if op.Result, ok = results[f[2]]; !ok {
		return nil, fmt.Errorf("result %q", f[2])
	}
	rank, star := strings.CutSuffix(f[3], "*")
	op.DataShape = star
	if op.Rank, ok = ranks[rank]; !ok {
		return nil, fmt.Errorf("rank %q", f[3])
	}
	if op.Alloc, ok = allocs[f[6]]; !ok {
		return nil, fmt.Errorf("allocation %q", f[6])
	}
	if op.Sync, ok = parseSync(f[4]); !ok {
		return nil, fmt.Errorf("sync %q", f[4])
	}
	op.Params = split(f[5], " ")
	for _, m := range split(f[7], " ") {
		if m[0] != '+' && m[0] != '-' || len(m) == 1 {
			return nil, fmt.Errorf("measured %q", m)
		}
		op.Measured = append(op.Measured, Measured{Name: m[1:], Syncs: m[0] == '+'})
	}
	return op, nil
}

func parseSync(s string) (Sync, bool) {
	head, rest, _ := strings.Cut(s, ":")
	w, ok := whens[head]
	sync := Sync{When: w}
	switch w {
	case IfDevice:
		a, b, _ := strings.Cut(rest, "!")
		sync.Operands, sync.Unless = split(a, "|"), split(b, "|")
		ok = ok && len(sync.Operands) > 0
	case IfFlag:
		sync.Operands = split(rest, "|")
		ok = ok && len(sync.Operands) == 1
	case Missing:
		sync.Unless = split(rest, "|")
		ok = ok && len(sync.Unless) > 0
	default:
		ok = ok && rest == ""
	}
	return sync, ok
}

func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func split(s, sep string) []string {
	if s = dash(s); s == "" {
		return nil
	}
	return strings.Split(s, sep)
}

var results = map[string]Result{"unknown": Unknown, "same": Same, "bool": SameBool, "int": SameInt, "self": Self,
	"view": View, "tensors": Tensors, "pair": Pair, "factory": Factory, "data": Data, "convert": Convert, "cpu": OnCPU,
	"device": OnDevice, "pinned": Pinned, "array": Array, "hostbool": HostBool, "hostint": HostInt, "hostnum": HostNum,
	"hostlist": HostList, "host": Host, "none": None, "stream": Stream, "event": Event, "graph": Graph,
	"generator": Generator, "module": Module, "modulelist": ModuleList, "parameter": Parameter}

var ranks = map[string]Rank{"-": RankUnknown, "same": RankSame, "widest": RankWidest, "reduce": RankReduce,
	"-1": RankMinus1, "+1": RankPlus1, "size": RankSize, "like": RankLike, "data": RankData, "0": Rank0, "1": Rank1,
	"2": Rank2}

var allocs = map[string]Alloc{"-": AllocNone, "out": AllocOut, "factory": AllocFactory, "like": AllocLike,
	"new": AllocNew, "clone": AllocClone, "pin": AllocPin}

var whens = map[string]When{"never": Never, "always": Always, "if": IfDevice, "missing": Missing,
	"transfer": IfTransfer, "flag": IfFlag, "distinct": IfDistinct, "depends": Depends}
