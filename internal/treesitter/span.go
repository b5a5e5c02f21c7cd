package treesitter

// Pos is a place in a file: line and column are 1-based, the column counts Unicode code points.
type Pos struct{ Line, Col int32 }

// Span is a piece of a file. Off and EndOff are byte offsets into its source, End is one past the last character.
type Span struct {
	Start, End  Pos
	Off, EndOff uint32
}

// Pos returns the span itself, so that a node that embeds a Span has a place.
func (s Span) Pos() Span { return s }
