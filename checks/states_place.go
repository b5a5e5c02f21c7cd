package checks

// stateText is a piece of source in which a state has places: an outermost function, or a whole file.
type stateText struct {
	mod *module
	top *Func // nil for the file
}

// sum stands for its text.
func (x *stateText) sum() digest {
	if x.top != nil {
		return x.top.sum
	}
	return x.mod.sum
}

// base is what places in it are counted from.
func (x *stateText) base() (off uint32, line int) {
	if x.top != nil {
		return x.top.off, x.top.Line
	}
	return 0, 0
}

// place is a piece of the source of a module; line may be nil.
func (c *stateCoder) place(m **module, off, end *uint32, line *int) {
	var x *stateText
	if !c.reading {
		if *m == nil {
			c.bad = true
			return
		}
		top := (*m).topAt(*off)
		if top != nil && *end > top.end {
			top = nil
		}
		x = c.known(stateText{*m, top})
	}
	if c.text(&x); c.bad || x == nil {
		c.bad = true
		return
	}
	base, first := x.base()
	from, size, down := int64(*off)-int64(base), *end-*off, 0
	if line != nil {
		down = *line - first
	}
	signed(c.coder, &from)
	count(c.coder, &size)
	signed(c.coder, &down)
	if !c.reading {
		return
	}
	*m, *off = x.mod, uint32(int64(base)+from)
	*end = *off + size
	if line != nil {
		*line = first + down
	}
}

// known is the one piece that is equal to x.
func (c *stateCoder) known(x stateText) *stateText {
	for _, o := range c.pieces.all {
		if *o == x {
			return o
		}
	}
	return &x
}

// text is a piece of source, which has to be what it was.
func (c *stateCoder) text(x **stateText) {
	c.pieces.code(c.coder, x, func(x *stateText) {
		var n funcName
		var sum digest
		if !c.reading {
			n.Path, sum = x.mod.path, x.sum()
			if x.top != nil {
				n = nameOf(x.top)
			}
		}
		codeName(c.coder, &n)
		if c.coder.digest(&sum); !c.reading {
			return
		}
		if x.mod = c.p.byPath[n.Path]; x.mod == nil {
			c.bad = true
			return
		}
		if n.Name != "" {
			x.top = x.mod.function(n.Name, n.Dup)
			c.bad = c.bad || x.top == nil || x.top.top != x.top
		}
		c.bad = c.bad || x.sum() != sum
	})
}
