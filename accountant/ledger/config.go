package ledger

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dpkit-go/dpnb/accountant"
)

// Config is what a ledger is made for. Budget, Neighbours and Dataset are required; all fields are public.
type Config struct {
	// Budget is the (ε, δ) that all releases together may cost: 0 < ε < ∞, 0 < δ < 1.
	Budget accountant.Budget
	// Neighbours is the relation in which every release is priced.
	Neighbours accountant.Neighbours
	// Dataset is a name for people, at most 200 bytes.
	Dataset string
	// Reserve is the part of the budget's δ that is kept for releases that may fail: tests that may pass
	// wrongly and private bounds that may not hold. It is fixed before the first charge, as the filter's theorem
	// asks ([Ledger.RaiseReserve]). 0: such releases are refused. A release whose law has heavier tails than a Gaussian's, as sampled descent, takes a
	// 32nd of it to be charged as what it is sold as; a small one a 1024th.
	Reserve float64
	// Pure is the part of the budget's ε that is kept for releases of pure DP, and for those that are closer to a Gaussian beside a
	// little of pure DP than to any Gaussian, as objective perturbation: they add up in ε there, where that is less than what
	// the Gaussians cost that dominate them. The rest of ε is that of the Gaussian filter. It is fixed beforehand, and a release
	// that does not fit it any more is charged as a Gaussian. 0: none is kept.
	Pure float64
	// Unit is what the budget protects: a row, or a person with all of their rows.
	Unit Unit
	// Rehearsal says that the rows need no protection, say because they are invented or published: the ledger is for
	// learning and trying. It charges and replays like any other, but where its file is gone, a new one may be made. All
	// that it prints says so. It is fixed when the ledger is made.
	Rehearsal bool
	// Expires is the time from which on no release is charged; what was stored still replays. Zero: never.
	Expires time.Time
	// Project is the path of another ledger that every release is charged to as well, before this one: the
	// budget of a project over several datasets. It is relative to this ledger's folder, or absolute. That
	// ledger is made first, in the same relation. Empty: none.
	Project string
	// Schema and Rows describe the dataset to the user's state folder, so that a lost ledger is recognised when one is
	// made for the same data elsewhere: a hash of the public schema, up to 64 hexadecimal digits, and the public number of
	// rows. They do not stand in the file and may differ from one opening to the next. Zero: not told.
	Schema string
	Rows   int
}

func (c Config) validate() error {
	// Written so that NaN fails.
	if !(c.Budget.Epsilon > 0) || c.Budget.Epsilon > maxEpsilon {
		return fmt.Errorf("ledger: config: budget epsilon: got %v, want 0 < ε ≤ %v: state the budget, it has no default", c.Budget.Epsilon, maxEpsilon)
	}
	if !(c.Budget.Delta >= minDelta) || !(c.Budget.Delta < 1) {
		return fmt.Errorf("ledger: config: budget delta: got %v, want %v ≤ δ < 1: a common choice is below 1/n", c.Budget.Delta, minDelta)
	}
	if !(c.Reserve >= 0) || !(c.Budget.Delta-c.Reserve >= minDelta) {
		return fmt.Errorf("ledger: config: reserve: got %v, want 0, or less than the budget's δ = %v", c.Reserve, c.Budget.Delta)
	}
	if !(c.Pure >= 0) || !(c.Pure < c.Budget.Epsilon) {
		return fmt.Errorf("ledger: config: pure: got %v, want 0 or a part of the budget's ε = %v", c.Pure, c.Budget.Epsilon)
	}
	if err := c.Unit.Validate(); err != nil {
		return fmt.Errorf("ledger: config: %w", err)
	}
	if len(c.Schema) > 64 || !isHex(c.Schema, len(c.Schema)) {
		return fmt.Errorf("ledger: config: schema: got %d characters, want at most 64 hexadecimal digits of a hash, or none", len(c.Schema))
	}
	if c.Rows < 0 {
		return fmt.Errorf("ledger: config: rows: got %d, want the public number of rows, or 0 where it is not told", c.Rows)
	}
	if err := c.Neighbours.Validate(); err != nil {
		return fmt.Errorf("ledger: config: %w", err)
	}
	if c.Dataset == "" {
		return fmt.Errorf("ledger: config: dataset: got no name, want the dataset's public name")
	}
	if err := checkText("config: dataset", c.Dataset); err != nil {
		return err
	}
	if y := c.Expires.UTC().Year(); !c.Expires.IsZero() && (y < 1970 || y > 9999) {
		return fmt.Errorf("ledger: config: expires: got the year %d, want a date after 1970, or the zero time for never", y)
	}
	return checkLine("config: project", c.Project, 4000)
}

// difference says which fields of want the ledger at hand does not have; "" if none.
func (c Config) difference(want Config) string {
	var d []string
	if c.Budget.Epsilon != want.Budget.Epsilon {
		d = append(d, fmt.Sprintf("budget epsilon: the file has %v, asked %v", c.Budget.Epsilon, want.Budget.Epsilon))
	}
	if c.Budget.Delta != want.Budget.Delta {
		d = append(d, fmt.Sprintf("budget delta: the file has %v, asked %v", c.Budget.Delta, want.Budget.Delta))
	}
	if c.Neighbours != want.Neighbours {
		d = append(d, fmt.Sprintf("neighbours: the file has %v, asked %v", c.Neighbours, want.Neighbours))
	}
	if c.Dataset != want.Dataset {
		d = append(d, fmt.Sprintf("dataset: the file has %q, asked %q", c.Dataset, want.Dataset))
	}
	if c.Reserve != want.Reserve {
		d = append(d, fmt.Sprintf("reserve: the file has %v, asked %v", c.Reserve, want.Reserve))
	}
	if c.Pure != want.Pure {
		d = append(d, fmt.Sprintf("pure: the file has %v, asked %v", c.Pure, want.Pure))
	}
	if c.Unit != want.Unit {
		d = append(d, fmt.Sprintf("unit: the file is per %v, asked per %v: a guarantee for the one is none for the other, so take another ledger", c.Unit, want.Unit))
	}
	if c.Rehearsal != want.Rehearsal {
		d = append(d, fmt.Sprintf("rehearsal: the file has %v, asked %v", c.Rehearsal, want.Rehearsal))
	}
	if !c.Expires.Equal(want.Expires) {
		d = append(d, fmt.Sprintf("expires: the file has %s, asked %s", expiry(c.Expires), expiry(want.Expires)))
	}
	if c.Project != want.Project {
		d = append(d, fmt.Sprintf("project: the file has %q, asked %q", c.Project, want.Project))
	}
	return strings.Join(d, "; ")
}

// expiry is the date for people.
func expiry(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04 MST")
}

// checkText keeps names short, and printable on one line.
func checkText(what, s string) error { return checkLine(what, s, 200) }

func checkLine(what, s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("ledger: %s: got %d bytes, want at most %d", what, len(s), most)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("ledger: %s: got text that is not UTF-8", what)
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		return fmt.Errorf("ledger: %s: got a character at byte %d that does not print, want one printable line", what, i)
	}
	return nil
}
