// Package logtext makes the output of strangers' programs fit for a page and a terminal, piece by piece as it comes: no
// control characters, no terminal sequences, no text that runs backwards or cannot be seen, no credentials of well-known forms.
//
// What comes out does not depend on where the pieces were cut: what could be the beginning of something is held back until
// the next piece or the end. Held back is never more than a few hundred bytes, so memory does not grow with the log.
package logtext
