package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Report is a randomised answer. It may be seen by anyone.
type Report struct {
	Scheme string `json:"scheme"`           // ID of the scheme
	Answer *int   `json:"answer,omitempty"` // of Direct: position in the scheme's answers
	Bits   []byte `json:"bits,omitempty"`   // of a unary one: a bit for each answer, 8 to a byte, lowest first
	Row    *int   `json:"row,omitempty"`    // of Hadamard
	Sign   *int   `json:"sign,omitempty"`   // of Hadamard: 0 for +1, 1 for −1
}

// Decode reads one report from a line of JSON, which may come from anyone, and checks it. Errors wrap [ErrReport].
func (s Scheme) Decode(line []byte) (Report, error) {
	var r Report
	if len(line) > maxLine {
		return r, fmt.Errorf("local: report: got %d bytes, want at most %d: %w", len(line), maxLine, ErrReport)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Report{}, fmt.Errorf("local: report: got no JSON of one: %w", ErrReport)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Report{}, fmt.Errorf("local: report: got more than one value on a line: %w", ErrReport)
	}
	if err := s.Check(r); err != nil {
		return Report{}, err
	}
	return r, nil
}

// Check reports what is wrong with a report. Errors wrap [ErrReport].
func (s Scheme) Check(r Report) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("local: report: %s: %w", fmt.Sprintf(format, args...), ErrReport)
	}
	if s.id == "" || r.Scheme != s.id {
		return bad("it is of another scheme, want %q", s.id)
	}
	if (r.Answer != nil) != (s.encoding == Direct) || (r.Row != nil) != (s.encoding == Hadamard) || (r.Sign != nil) != (s.encoding == Hadamard) {
		return bad("its fields are not those of the %s encoding", s.encoding)
	}
	unary := s.encoding == Symmetric || s.encoding == Optimized
	k := len(s.answers)
	switch {
	case !unary && r.Bits != nil:
		return bad("its fields are not those of the %s encoding", s.encoding)
	case s.encoding == Direct && (*r.Answer < 0 || *r.Answer >= k):
		return bad("got answer %d of %d", *r.Answer, k)
	case s.encoding == Hadamard && (*r.Row < 0 || *r.Row >= s.order || *r.Sign < 0 || *r.Sign > 1):
		return bad("got row %d of %d and sign %d", *r.Row, s.order, *r.Sign)
	case unary && len(r.Bits) != (k+7)/8:
		return bad("got %d bytes of bits, want %d", len(r.Bits), (k+7)/8)
	case unary && k%8 != 0 && r.Bits[len(r.Bits)-1]>>(k%8) != 0:
		return bad("bits behind the last answer are set")
	}
	return nil
}
