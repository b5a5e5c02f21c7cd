package fixlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Schema is the version of the ledger's form.
const Schema = "gatebot.fixlog/v1"

// Ledger is every record, in the order in which they were found, and how far history was read.
type Ledger struct {
	Records []Record
	Tip     string // the last commit that was looked at; empty when none was
}

// line is one line of the encoded form. The first line carries the schema; after it each line carries a record or a
// tip, and a later line with the id of an earlier one replaces it. So a writer may append without reading.
type line struct {
	Schema string  `json:"schema,omitempty"`
	Tip    *string `json:"tip,omitempty"`
	Record *Record `json:"record,omitempty"`
}

// Encode writes the ledger as NDJSON, one line for each record.
func (l *Ledger) Encode(w io.Writer) error {
	enc := encoder(w)
	if err := enc.Encode(line{Schema: Schema}); err != nil {
		return fmt.Errorf("fix log ledger: %w", err)
	}
	return l.append(enc, l.Records)
}

// Append writes what an update added or changed, to be put after an encoded ledger.
func (l *Ledger) Append(w io.Writer, changed []Record) error { return l.append(encoder(w), changed) }

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

func (l *Ledger) append(enc *json.Encoder, records []Record) error {
	for i := range records {
		if err := enc.Encode(line{Record: &records[i]}); err != nil {
			return fmt.Errorf("fix log ledger: %w", err)
		}
	}
	if err := enc.Encode(line{Tip: &l.Tip}); err != nil {
		return fmt.Errorf("fix log ledger: %w", err)
	}
	return nil
}

// Bytes is the encoded ledger.
func (l *Ledger) Bytes() ([]byte, error) {
	var b bytes.Buffer
	err := l.Encode(&b)
	return b.Bytes(), err
}

// Decode reads an encoded ledger. No data at all is an empty ledger. A last line that was cut off (a crash while it
// was appended) is an error: what it said would be lost otherwise.
func Decode(r io.Reader) (*Ledger, error) {
	l := &Ledger{}
	at := map[string]int{}
	br := bufio.NewReader(r)
	for n := 1; ; n++ {
		text, err := br.ReadString('\n')
		if errors.Is(err, io.EOF) && text == "" {
			return l, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("fix log ledger: %w", err)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := l.read(text, n, at); err != nil {
			return nil, fmt.Errorf("fix log ledger: line %d: %w", n, err)
		}
	}
}

func (l *Ledger) read(text string, n int, at map[string]int) error {
	var x line
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return fmt.Errorf("%w (restore the file, or remove it and run `gatebot fixlog update`)", err)
	}
	if n == 1 && x.Schema != Schema {
		return fmt.Errorf("schema %q, want %q (written by another version?)", x.Schema, Schema)
	}
	if x.Tip != nil {
		l.Tip = *x.Tip
	}
	if x.Record == nil {
		return nil
	}
	switch x.Record.State {
	case Open, Fixed, Regressed, Removed, Superseded:
	default:
		return fmt.Errorf("state %q of record %q is not known", x.Record.State, x.Record.ID)
	}
	if x.Record.ID == "" || x.Record.Commit == "" {
		return errors.New("a record without id or commit")
	}
	if i, seen := at[x.Record.ID]; seen {
		l.Records[i] = *x.Record
		return nil
	}
	at[x.Record.ID] = len(l.Records)
	l.Records = append(l.Records, *x.Record)
	return nil
}

// find gives the record with an id, or nil.
func (l *Ledger) find(id string) *Record {
	for i := range l.Records {
		if l.Records[i].ID == id {
			return &l.Records[i]
		}
	}
	return nil
}
