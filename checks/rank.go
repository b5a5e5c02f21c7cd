package checks

import (
	"github.com/gatebot/gatebot/checks/torchop"
)

// rankOf is the number of dimensions of a result, -1 when unknown.
func rankOf(op *torchop.Op, s *Value, c *Call) int {
	same := -1
	if s.IsTensor() || s.IsArray() {
		same = int(s.Rank)
	}
	switch op.Rank {
	case torchop.RankSame:
		return same
	case torchop.RankWidest:
		if c == nil || same < 0 {
			return -1
		}
		for _, a := range c.Args {
			if a.Value.IsTensor() {
				if a.Value.Rank < 0 {
					return -1
				}
				same = max(same, int(a.Value.Rank))
			}
		}
		return same
	case torchop.RankReduce:
		return reduceRank(same, c)
	case torchop.RankMinus1:
		return max(same-1, -1)
	case torchop.RankPlus1:
		if same < 0 {
			return -1
		}
		return same + 1
	case torchop.RankSize:
		return sizeRank(c)
	case torchop.RankLike:
		if c != nil {
			if a, ok := c.Operand(0, ""); ok && a.Value.IsTensor() {
				return int(a.Value.Rank)
			}
		}
	case torchop.RankData:
		if c != nil {
			return dataRank(c.Value(0, "data"), 4)
		}
	case torchop.Rank0:
		return 0
	case torchop.Rank1:
		return 1
	case torchop.Rank2:
		return 2
	}
	return -1
}

// reduceRank is the rank after a reduction: everything without a dim, one less with one, the same with keepdim.
func reduceRank(same int, c *Call) int {
	if c == nil {
		return -1
	}
	name := "dim"
	pos := 0
	if last(c.Name) == "norm" {
		pos = 1
	}
	d, ok := c.Operand(pos, name)
	if !ok {
		d, ok = c.Arg(-1, "axis")
	}
	if c.Has("keepdim") || c.Has("keepdims") {
		return same
	}
	if k, given := c.Operand(pos+1, "keepdim"); given && k.Value.True() {
		return same
	}
	switch {
	case !ok || d.Value.IsNone():
		return 0
	case same < 0:
		return -1
	case d.Value.Kind == KindNumber:
		return max(same-1, 0)
	case d.Value.Kind == KindTuple || d.Value.Kind == KindList && d.Value.Elem == nil:
		return max(same-len(d.Value.Items), 0)
	}
	return -1
}

// sizeRank counts the sizes of zeros(4, 8), zeros((4, 8)) and x.view(4, -1).
func sizeRank(c *Call) int {
	if c == nil {
		return -1
	}
	if s, ok := c.Arg(-1, "size"); ok {
		return seqLen(s.Value)
	}
	n, star := c.Positional()
	if star {
		return -1
	}
	if n == 0 {
		return -1
	}
	first := c.Value(0, "")
	if first.IsSequence() {
		return seqLen(first)
	}
	if last(c.Name) == "full" || last(c.Name) == "new_full" || first.IsUnknown() && n == 1 {
		if first.IsNumber() {
			return 1
		}
		return -1
	}
	return n
}

func seqLen(v *Value) int {
	if v.IsNumber() {
		return 1
	}
	if v.IsSequence() && v.Elem == nil {
		return len(v.Items)
	}
	return -1
}

// dataRank is how deep a nested list is; 0 for a number.
func dataRank(v *Value, depth int) int {
	switch {
	case v == nil || depth == 0:
		return -1
	case v.IsNumber():
		return 0
	case v.IsTensor() || v.IsArray():
		return int(v.Rank)
	case v.IsSequence():
		e := v.Element()
		if e == nil && len(v.Items) == 0 {
			return 1
		}
		if r := dataRank(e, depth-1); r >= 0 {
			return r + 1
		}
		if e != nil && e.Place == PlaceHost {
			return 1
		}
	}
	return -1
}
