package checks

import (
	"bytes"
	"math"
)

// stateCoder writes what a state leaves to a short form and reads it back, in another scan or another process. Places move
// with the functions that they are in: where the text of one has changed there is nothing to read.
type stateCoder struct {
	*coder
	p       *project
	values  shared[Value]
	objects shared[Object]
	envs    shared[env]
	flows   shared[Flow]
	pieces  shared[stateText]
}

// shared are things that several others lead to: each is written once.
type shared[T any] struct {
	all     []*T
	numbers map[*T]int
}

// code writes *v or its number, or reads it. Each codes what is in it.
func (s *shared[T]) code(c *coder, v **T, each func(*T)) {
	var n uint64
	if !c.reading && *v != nil {
		n = 1
		if at, ok := s.numbers[*v]; ok {
			n = uint64(at) + 2
		}
	}
	c.number(&n)
	switch { // what is written is not touched: others are looking at it
	case !c.reading && n != 1:
		return
	case !c.reading:
		if s.numbers == nil {
			s.numbers = map[*T]int{}
		}
		s.numbers[*v] = len(s.all)
	case n == 0:
		*v = nil
		return
	case n == 1:
		*v = new(T)
	case n-2 < uint64(len(s.all)):
		*v = s.all[n-2]
		return
	default:
		c.bad = true
		return
	}
	s.all = append(s.all, *v)
	if !c.bad {
		each(*v)
	}
}

// encode gives the short form of a state; nil for one that cannot be kept, since it holds syntax.
func (r *stateRun) encode(p *project) []byte {
	c := &stateCoder{coder: &coder{numbers: map[string]uint64{}, piece: 2 << 10}, p: p}
	c.run(r)
	if c.bad {
		return nil
	}
	return bytes.Join(c.pack(), nil)
}

// decode reads what encode gave, if the source that it shows is what it was.
func (r *stateRun) decode(p *project, data []byte) bool {
	first, second := unpack(data)
	first.data = second.data // there is one part
	c := &stateCoder{coder: first, p: p}
	c.run(r)
	return !c.bad && len(c.data) == 0
}

func (c *stateCoder) run(r *stateRun) {
	c.flag(&r.whole)
	count(c.coder, &r.height)
	count(c.coder, &r.size)
	c.object(&r.obj)
}

func (c *stateCoder) class(k **Class) {
	has := *k != nil
	if c.flag(&has); !has {
		return
	}
	var n funcName
	if !c.reading {
		n = funcName{(*k).Path, (*k).Name, (*k).dup}
	}
	if codeName(c.coder, &n); c.reading {
		if m := c.p.byPath[n.Path]; m != nil {
			*k = m.class(n.Name, n.Dup)
		}
		c.bad = c.bad || *k == nil
	}
}

func (c *stateCoder) fn(f **Func) {
	has := *f != nil
	if c.flag(&has); !has {
		return
	}
	var n funcName
	if !c.reading {
		n = nameOf(*f)
	}
	if codeName(c.coder, &n); c.reading {
		if m := c.p.byPath[n.Path]; m != nil {
			*f = m.function(n.Name, n.Dup)
		}
		c.bad = c.bad || *f == nil
	}
}

func (c *stateCoder) object(o **Object) {
	c.objects.code(c.coder, o, func(o *Object) {
		if c.class(&o.of); o.of != nil {
			if c.reading {
				o.attrs = map[string]*Value{}
			}
			return // it stands for all objects of the class, and says nothing here
		}
		c.named(&o.attrs)
		c.value(&o.elem)
		if c.flag(&o.early); !o.early {
			has := o.load != nil
			if c.flag(&has); has {
				c.named(&o.load)
			}
		}
	})
}

func (c *stateCoder) named(m *map[string]*Value) {
	mapped(c.coder, m, func(_ *coder, v **Value) { c.value(v) })
}

func (c *stateCoder) env(e **env) {
	c.envs.code(c.coder, e, func(e *env) {
		vars := map[string]*Value{}
		if !c.reading { // without those that adoptEnv leaves out
			for _, b := range e.vars.variables() {
				vars[b.name] = b.v
			}
		}
		if c.named(&vars); c.reading {
			for _, name := range sortedKeys(vars) {
				e.set(name, vars[name])
			}
		}
		c.env(&e.up)
		c.flag(&e.dead)
	})
}

func (c *stateCoder) all(vs *[]*Value) {
	series(c.coder, vs, func(_ *coder, v **Value) { c.value(v) })
}

func (c *stateCoder) value(v **Value) {
	c.values.code(c.coder, v, func(v *Value) {
		count(c.coder, &v.Kind)
		count(c.coder, &v.Place)
		signed(c.coder, &v.Rank)
		count(c.coder, &v.DType)
		count(c.coder, &v.Sure)
		c.flag(&v.NonDense)
		c.flag(&v.Optional)
		c.constant(&v.Const)
		word(c.coder, &v.Name)
		c.all(&v.Items)
		c.value(&v.Elem)
		c.object(&v.Obj)
		c.class(&v.Class)
		c.fn(&v.Func)
		c.value(&v.Recv)
		c.rare(v)
		c.flow(&v.Flow)
	})
}

func (c *stateCoder) rare(v *Value) {
	has := v.more != nil
	if c.flag(&has); !has {
		return
	}
	m := &moreValue{}
	if !c.reading {
		*m = *v.more
	}
	c.all(&m.also)
	c.env(&m.closure)
	has = m.lambda != nil
	if c.flag(&has); has {
		if c.reading {
			m.lambda = &lambdaRef{}
		}
		c.place(&m.lambda.mod, &m.lambda.off, &m.lambda.off, nil)
	}
	series(c.coder, &m.partial, func(_ *coder, a *Arg) {
		word(c.coder, &a.Name)
		signed(c.coder, &a.Star)
		c.value(&a.Value)
		c.bad = c.bad || a.Node != nil // syntax
	})
	if c.reading {
		v.more = m
	}
}

// Kinds of constants.
const (
	constNone = iota
	constText
	constInt
	constFloat
	constFalseOf
	constTrueOf
)

func (c *stateCoder) constant(x *any) {
	kind, text, n := constNone, "", int64(0)
	switch v := (*x).(type) {
	case nil:
	case string:
		kind, text = constText, v
	case int64:
		kind, n = constInt, v
	case float64:
		kind, n = constFloat, int64(math.Float64bits(v))
	case bool:
		if kind = constFalseOf; v {
			kind = constTrueOf
		}
	default:
		c.bad = true
	}
	count(c.coder, &kind)
	switch kind {
	case constText:
		if word(c.coder, &text); c.reading {
			*x = text
		}
	case constInt, constFloat:
		if signed(c.coder, &n); c.reading && kind == constInt {
			*x = n
		} else if c.reading {
			*x = math.Float64frombits(uint64(n))
		}
	case constFalseOf, constTrueOf:
		if c.reading {
			*x = kind == constTrueOf
		}
	}
}

func (c *stateCoder) flow(f **Flow) {
	c.flows.code(c.coder, f, func(f *Flow) {
		c.flow(&f.Prev)
		m := c.p.byPath[f.Path]
		if c.place(&m, &f.off, &f.end, &f.Line); c.reading && m != nil {
			f.Path = m.path
		}
		word(c.coder, &f.Note)
		word(c.coder, &f.code)
		count(c.coder, &f.n)
		c.fn(&f.entry.fn)
		word(c.coder, &f.entry.name)
		c.digest(&f.sum)
	})
}
