package frames

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"
)

// CSVOptions says how a CSV file is written. The zero value: comma-separated, no header, the
// missing markers "", "NA" and "?", space kept, no comments.
type CSVOptions struct {
	// Comma separates fields; 0 means ','.
	Comma rune
	// Blanks says that runs of blanks and tabs separate fields, as in tables that are aligned for
	// reading; those at the ends of a line do not count. Comma is then not used and must be 0. A
	// field that holds a blank stands in quotes, on one line. Columns of fixed width that touch
	// each other cannot be told apart: such records are refused as ragged.
	Blanks bool
	// Header says that the first record holds names. Columns are then matched by name, in any
	// order; an extra column is refused unless the schema ignores it, and an ignored column need
	// not be there. Without a header the fields are the schema's columns in order.
	Header bool
	// Missing lists the markers of a missing cell; nil means "", "NA" and "?", an empty list
	// none. A declared level wins over a marker that spells the same.
	Missing []string
	// MissingIn lists the markers of single columns, by name, in place of Missing: for files in
	// which 0 is a number in one column and stands for a missing one in another.
	MissingIn map[string][]string
	// TrimSpace removes the space around every field, and skips lines of spaces.
	TrimSpace bool
	// Comment, if not 0, starts a line that is skipped.
	Comment rune
	// Encoding is how the file's characters stand in its bytes.
	Encoding Encoding
	// Number is how the file writes numbers, and NumberIn how it does in single columns, by name, in place of Number. Where the
	// decimal sign or that of groups is the separator too, such numbers stand in quotes.
	Number   NumberFormat
	NumberIn map[string]NumberFormat
	// MaxRecord is the number of bytes that a line and a record may have; 0 means 64 MiB. A longer one ends the
	// reading with [ErrLimit]: a small packed file can hold a line that no memory does.
	MaxRecord int
}

func (o CSVOptions) comma() rune {
	if o.Comma == 0 {
		return ','
	}
	return o.Comma
}

// separator names what separates fields.
func (o CSVOptions) separator() string {
	if o.Blanks {
		return "of blanks"
	}
	return fmt.Sprintf("%q", o.comma())
}

func (o CSVOptions) missing() []string {
	return missingMarkers(o.Missing)
}

// number is how the numbers of a column are written.
func (o CSVOptions) number(column string) NumberFormat {
	if f, ok := o.NumberIn[column]; ok {
		return f
	}
	return o.Number
}

// missingMarkers applies the default of CSVOptions.Missing and GotaOptions.Missing.
func missingMarkers(m []string) []string {
	if m == nil {
		return []string{"", "NA", "?"}
	}
	return slices.Clone(m)
}

// cloneMarkers copies CSVOptions.MissingIn.
func cloneMarkers(m map[string][]string) map[string][]string {
	out := make(map[string][]string, len(m))
	for column, markers := range m {
		out[column] = missingMarkers(markers)
	}
	return out
}

func (o CSVOptions) validate() error {
	if o.Blanks && o.Comma != 0 {
		return fmt.Errorf("frames: options: got Comma %q and Blanks, want one of them: drop one: %w", o.Comma, ErrOptions)
	}
	if !validComma(o.comma()) {
		return fmt.Errorf("frames: options: got Comma %q, want a character other than a quote or a line end: set it to the file's separator: %w", o.Comma, ErrOptions)
	}
	if o.Comment != 0 && (!validComma(o.Comment) || o.Comment == o.comma()) {
		return fmt.Errorf("frames: options: got Comment %q with Comma %q, want another character: change one: %w", o.Comment, o.comma(), ErrOptions)
	}
	if err := validateMaxRecord(o.MaxRecord); err != nil {
		return err
	}
	if err := o.Encoding.validate(); err != nil {
		return err
	}
	if err := o.Number.validate(); err != nil {
		return fmt.Errorf("frames: options: Number: %w: %w", err, ErrOptions)
	}
	for column, f := range o.NumberIn {
		if err := f.validate(); err != nil {
			return fmt.Errorf("frames: options: NumberIn of %q: %w: %w", column, err, ErrOptions)
		}
	}
	return validateMarkers(append(slices.Collect(maps.Values(o.MissingIn)), o.Missing))
}

func validateMarkers(lists [][]string) error {
	for _, m := range slices.Concat(lists...) {
		if !utf8.ValidString(m) {
			return fmt.Errorf("frames: options: a missing marker is not UTF-8: re-encode it: %w", ErrOptions)
		}
	}
	return nil
}
