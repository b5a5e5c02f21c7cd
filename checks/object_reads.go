package checks

// What a task asks of the object that stands for all objects of a class is noted by attribute: a class that gets one more
// is the same for all that do not look at that one.

// attrsRead are the attributes of such an object that were looked at.
type attrsRead struct {
	names map[string]bool
	all   bool // or how many there are, or which
}

func (o *Object) noted() *attrsRead {
	if o.of == nil {
		return nil
	}
	if o.read == nil {
		o.read = &attrsRead{names: map[string]bool{}}
	}
	return o.read
}

// reads notes that what an attribute holds is looked at.
func (o *Object) reads(name string) {
	if r := o.noted(); r != nil {
		r.names[name] = true
	}
}

// attr is what an attribute holds.
func (o *Object) attr(name string) *Value {
	o.reads(name)
	return o.attrs[name]
}

// all are all attributes. They are not to be changed.
func (o *Object) all() map[string]*Value {
	if r := o.noted(); r != nil {
		r.all = true
	}
	return o.attrs
}

// wordNumbers gives words numbers.
type wordNumbers struct {
	ids  map[string]uint32
	text []string
}

func (w *wordNumbers) id(word string) uint32 {
	id, ok := w.ids[word]
	if !ok {
		if w.ids == nil {
			w.ids = map[string]uint32{}
		}
		id = uint32(len(w.text))
		w.ids[word] = id
		w.text = append(w.text, word)
	}
	return id
}

// noteReads adds which attributes were read of a state to a list: its fact, how many they are, and the numbers of their
// names. A state that is not in the list was looked at as a whole. It is called with the lock.
func (t *table) noteReads(list []uint32, id uint32, c *classState) []uint32 {
	if c == nil {
		return list
	}
	r := c.obj.noted()
	if r.all {
		return list
	}
	list = append(list, id, uint32(len(r.names)))
	for _, name := range sortedKeys(r.names) {
		list = append(list, t.words.id(name))
	}
	return list
}

// eachRead calls f for each state in such a list.
func eachRead(list []uint32, f func(id *uint32, names []uint32)) {
	for len(list) >= 2 {
		n := 2 + int(list[1])
		f(&list[0], list[2:n])
		list = list[n:]
	}
}
