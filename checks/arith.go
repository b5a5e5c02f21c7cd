package checks

import "github.com/gatebot/gatebot/internal/pyast"

func (fr *frame) binaryExpr(e *pyast.Binary) *Value {
	l, r := fr.eval(e.L), fr.eval(e.R)
	return fr.binary(e, e.Op, l, r, false)
}

// binary is l op r. For augmented assignments aug is set: an in-place operation on a tensor keeps the tensor.
func (fr *frame) binary(n pyast.Node, op string, l, r *Value, aug bool) *Value {
	var out *Value
	switch {
	case op == "%" && l.Kind == KindString:
		fr.percent(n, r)
		out = text
	case l.Kind == KindTensor || r.Kind == KindTensor:
		if aug && l.Kind == KindTensor {
			out = l
		} else {
			out = fr.arith(op, l, r)
		}
	case l.Kind == KindArray || r.Kind == KindArray:
		out = array
	case l.IsUnknown() || r.IsUnknown():
		out = unknown
		if l.HostData() && r.HostData() {
			out = hostUnknown
		}
	default:
		out = hostArith(op, l, r)
	}
	fr.binaryEvent(n, op, l, r, out, aug)
	return out
}

func (fr *frame) binaryEvent(n pyast.Node, op string, l, r, out *Value, aug bool) {
	if fr.in.emits() {
		fr.in.hooks.binary(fr, &Binary{Node: n, Op: op, L: l, R: r, Result: out, Aug: aug})
	}
}

// percent is '…' % value, with a tuple of values when there are several.
func (fr *frame) percent(n pyast.Node, r *Value) {
	var node pyast.Expr
	if b, ok := n.(*pyast.Binary); ok {
		node = b.R
	}
	if node == nil {
		return
	}
	if t, ok := node.(*pyast.Tuple); ok && len(t.Elts) == len(r.Items) {
		for i, e := range t.Elts {
			fr.format(e, r.Items[i], FormatPercent, "")
		}
		return
	}
	fr.format(node, r, FormatPercent, "")
}

// arith is an operation with at least one tensor. A 0-d CPU tensor mixes with device tensors, others do not: the
// result is where the device operand is.
func (fr *frame) arith(op string, l, r *Value) *Value {
	if l.Kind != KindTensor {
		l, r = r, l
	}
	out := tensor(l.Place, l.Sure)
	out.Flow = l.Flow
	out.DType = l.DType
	out.Rank = l.Rank
	if r.Kind == KindTensor {
		switch {
		case r.Place == PlaceDevice && r.Sure == Possible && l.OnCPU() && l.Sure == Likely && l.Rank > 0:
			// Only a tensor without dimensions may come from the other side: the guess is wrong.
		case r.Place == PlaceDevice && l.Place != PlaceDevice:
			out.Place, out.Flow, out.Sure = r.Place, r.Flow, r.Sure
		case l.Place == PlaceDevice && l.Sure == Possible && r.OnCPU() && r.Sure == Likely && r.Rank > 0:
			out.Place, out.Flow, out.Sure = r.Place, r.Flow, r.Sure
		case l.Place != PlaceDevice && r.Place != l.Place:
			out.Place = hostOrUnknown(l.Place, r.Place)
		}
		if l.Place == PlaceDevice && r.OnCPU() && r.Rank != 0 || r.Place == PlaceDevice && l.OnCPU() && l.Rank != 0 {
			out.Sure = Possible // torch would not have it: one of the two is not where it is taken to be
		}
		out.Rank = widest(l.Rank, r.Rank)
	}
	if out.Place == PlacePinned {
		out.Place = PlaceCPU
	}
	out.DType = resultType(op, l, r)
	if op == "@" {
		out.Rank = matmulRank(l, r)
	}
	return out
}

func hostOrUnknown(a, b Place) Place {
	if a == PlaceUnknown || b == PlaceUnknown {
		return PlaceUnknown
	}
	return PlaceCPU
}

func widest(a, b int8) int8 {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

func matmulRank(l, r *Value) int8 {
	switch {
	case l.Rank < 0 || r.Rank < 0:
		return -1
	case l.Rank == 1 && r.Rank == 1:
		return 0
	case l.Rank == 1 || r.Rank == 1:
		return max(l.Rank, r.Rank) - 1
	}
	return max(l.Rank, r.Rank)
}

func resultType(op string, l, r *Value) DType {
	switch op {
	case "/":
		return DTypeFloat
	case "==", "!=", "<", ">", "<=", ">=":
		return DTypeBool
	}
	a, b := l.DType, r.DType
	if r.Kind != KindTensor && r.Kind != KindNumber && r.Kind != KindArray {
		b = DTypeUnknown
		if a == DTypeFloat {
			return a
		}
	}
	switch {
	case a == DTypeFloat || b == DTypeFloat:
		return DTypeFloat
	case a == DTypeUnknown || b == DTypeUnknown:
		return DTypeUnknown
	case op == "&" || op == "|" || op == "^":
		return max(a, b)
	case a == DTypeBool && b == DTypeBool && (op == "+" || op == "*"):
		return DTypeBool
	}
	return DTypeInt
}

// hostArith is an operation on Python values. Integers are followed as far as they are known.
func hostArith(op string, l, r *Value) *Value {
	if l.IsSequence() || r.IsSequence() {
		return sequenceArith(op, l, r)
	}
	if l.Kind == KindString || r.Kind == KindString {
		return text
	}
	if l.Kind != KindNumber || r.Kind != KindNumber {
		return unknown
	}
	a, okA := l.Int()
	b, okB := r.Int()
	if okA && okB {
		if n, ok := intArith(op, a, b); ok {
			return constant(n)
		}
	}
	out := *number
	switch {
	case op == "/" || l.DType == DTypeFloat || r.DType == DTypeFloat:
		out.DType = DTypeFloat
	case l.DType == DTypeInt && r.DType == DTypeInt:
		out.DType = DTypeInt
	}
	return &out
}

func intArith(op string, a, b int64) (int64, bool) {
	const limit = 1 << 40
	if a > limit || a < -limit || b > limit || b < -limit {
		return 0, false
	}
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		if a > 1<<20 || a < -(1<<20) || b > 1<<20 || b < -(1<<20) {
			return 0, false
		}
		return a * b, true
	case "//":
		if b > 0 && a >= 0 {
			return a / b, true
		}
	case "%":
		if b > 0 && a >= 0 {
			return a % b, true
		}
	}
	return 0, false
}

func sequenceArith(op string, l, r *Value) *Value {
	switch {
	case op == "+" && l.Kind == r.Kind && l.Elem == nil && r.Elem == nil && len(l.Items)+len(r.Items) <= 32:
		return l.with(func(c *Value) {
			c.Items = append(append([]*Value{}, l.Items...), r.Items...)
			c.Const = nil
		})
	case op == "*" && r.IsSequence():
		return list(r.Element())
	case l.IsSequence() && r.IsSequence():
		return list(join(l.Element(), r.Element()))
	case l.IsSequence():
		return list(l.Element())
	}
	return list(join(r.Element(), l))
}
