package checks

import (
	"strings"

	"github.com/gatebot/gatebot/internal/pyast"
)

// hostMethod is a method of a list, dict, string or handle; ok is false for what the table of operations knows.
func (fr *frame) hostMethod(callee *Value, args []Arg, e *pyast.Call) (*Value, bool) {
	recv := callee.Recv
	owner, name := callee.Name, ""
	if i := strings.LastIndexByte(owner, '.'); i >= 0 {
		owner, name = owner[:i], owner[i+1:]
	}
	switch owner {
	case "list", "tuple":
		return fr.listMethod(recv, name, args, e), true
	case "dict":
		return fr.dictMethod(recv, name, args), true
	case "str":
		if name == "format" {
			for _, a := range args {
				fr.format(a.Node, a.Value, FormatStr, "")
			}
		}
		if name == "split" || name == "splitlines" || name == "rsplit" {
			return list(text), true
		}
		if strings.HasPrefix(name, "is") || strings.HasSuffix(name, "with") {
			return boolean, true
		}
		if name == "join" {
			for _, a := range args {
				fr.iterateCall(a, "str.join")
			}
		}
		return text, true
	case "torch.nn.Module":
		return fr.moduleCall(recv, name, args), true
	}
	return nil, false
}

// moduleCall is a method of a torch module: moving it changes where its parameters are.
func (fr *frame) moduleCall(recv *Value, name string, args []Arg) *Value {
	switch name {
	case "parameters", "buffers":
		return list(tensor(PlaceDevice, Likely))
	case "named_parameters", "named_buffers":
		return list(tuple(text, tensor(PlaceDevice, Likely)))
	case "state_dict":
		o := fr.in.newObject()
		o.elem = tensor(PlaceDevice, Likely)
		return &Value{Kind: KindDict, Rank: -1, Sure: Likely, Obj: o}
	case "modules", "children":
		return list(nil)
	case "named_modules", "named_children":
		return list(tuple(text, unknown))
	case "__call__", "forward":
		return moduleResult(recv, args)
	}
	return recv
}

func (fr *frame) listMethod(recv *Value, name string, args []Arg, e *pyast.Call) *Value {
	switch name {
	case "append", "add", "insert", "extend", "appendleft", "update":
		if len(args) > 0 {
			v := args[len(args)-1].Value
			if name == "extend" || name == "update" {
				v = fr.iterated(v, nil)
			}
			fr.rebind(e, list(join(recv.Element(), v)))
		}
		return none
	case "pop", "popleft":
		if v := recv.Element(); v != nil {
			return v
		}
		return unknown
	case "copy":
		return recv
	case "index", "count":
		return hostInt
	}
	return none
}

// rebind stores a changed list back where the method was called on it: x.append(v) changes what x is taken for.
func (fr *frame) rebind(e *pyast.Call, v *Value) {
	if e == nil {
		return
	}
	a, ok := e.Func.(*pyast.Attr)
	if !ok {
		return
	}
	switch x := a.X.(type) {
	case *pyast.Name:
		if fr.env.local(x.ID) != nil {
			fr.env.set(x.ID, v)
		}
	case *pyast.Attr:
		if o := fr.values.get(x.X); o != nil && o.Obj != nil {
			fr.put(o.Obj, x.Name, v)
		}
	}
}

func (fr *frame) dictMethod(recv *Value, name string, args []Arg) *Value {
	all := func() *Value {
		if recv.Obj == nil {
			return nil
		}
		v := recv.Obj.elem
		for _, k := range sortedKeys(recv.Obj.all()) {
			v = join(v, recv.Obj.attrs[k])
		}
		return v
	}
	switch name {
	case "get", "pop", "setdefault":
		var v *Value
		if len(args) > 0 {
			if key, ok := args[0].Value.Str(); ok {
				v = fr.held(recv.Obj, key)
			} else {
				v = all()
			}
		}
		if v == nil && recv.Obj != nil {
			v = perhaps(recv.Obj.elem)
		}
		if name != "get" && name != "setdefault" || len(args) < 2 {
			if v == nil {
				return unknown
			}
			return v
		}
		if v == nil {
			v = unknown
		}
		return join(v, args[1].Value)
	case "items":
		return list(tuple(text, orUnknown(all())))
	case "values":
		return list(all())
	case "keys":
		return list(text)
	case "copy":
		return recv
	case "update":
		if len(args) > 0 && recv.Obj != nil && args[0].Value.Obj != nil {
			for _, k := range sortedKeys(args[0].Value.Obj.all()) {
				fr.put(recv.Obj, k, args[0].Value.Obj.attrs[k])
			}
		}
		return none
	}
	return none
}

// perhaps is what some key of a dict holds, where nothing says that it is this one.
func perhaps(v *Value) *Value {
	if !v.IsTensor() || v.Sure == Possible {
		return v
	}
	return v.with(func(c *Value) { c.Sure = Possible })
}

func orUnknown(v *Value) *Value {
	if v == nil {
		return unknown
	}
	return v
}
