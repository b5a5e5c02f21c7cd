package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// streams is where a command reads and writes. Results go to out, everything said to the person to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func std() streams { return streams{in: os.Stdin, out: os.Stdout, err: os.Stderr} }

// color reports whether w is a terminal that wants colours.
func color(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}
