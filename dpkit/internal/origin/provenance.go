package origin

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// Provenance is where a released value came from, as its release noted: it goes with the value onto the page and into a file. The
// zero Provenance, of a value that no release made, promises nothing.
type Provenance struct {
	Release string `json:"release,omitempty"` // the mechanism and its parameters
	// Guarantee is that of the release, every step before it included; nil for a value that is not private.
	Guarantee *accountant.Guarantee `json:"guarantee,omitempty"`
	// NotPrivate is empty for a private release; otherwise it says why the value is not private.
	NotPrivate string `json:"not_private,omitempty"`
	// Unit is what the guarantee hides one of, such as "row"; "" without a guarantee.
	Unit string `json:"unit,omitempty"`
	// Dataset and Entry find the release in its ledger: the name that the ledger has for the data, and the entry's ID.
	Dataset string `json:"dataset,omitempty"`
	Entry   string `json:"entry,omitempty"`
	// Charged is when the ledger was charged; a replay keeps the time of the first charge.
	Charged time.Time `json:"charged,omitzero"`
	// Part names the people whose rows were read, where not all were: a side of a split.
	Part string `json:"part,omitempty"`
	// Counted says in words what the numbers are of, where steps dropped rows, made rows of others or changed values: the exact number that
	// an interval holds is the number of these. "" where it is of all rows, as they are.
	Counted string `json:"counted,omitempty"`
	// Predicted is the error that public facts predicted of a model before its release, and PredictedOf what is off, as Plan.Error has
	// them; "" where nothing was predicted.
	Predicted   float64 `json:"predicted,omitempty"`
	PredictedOf string  `json:"predicted_of,omitempty"`
}

// Carrier is a pointer to a value that carries where it came from: one that embeds a [Provenance].
type Carrier interface{ origin() *Provenance }

func (o *Provenance) origin() *Provenance { return o }

// Of is the provenance of a value, to be read and written.
func Of(v Carrier) *Provenance { return v.origin() }

// Promise is the guarantee in one line, with the unit of privacy, or why there is none. The entry of the ledger is not in it: it is
// another one where the ledger is made anew.
func (o Provenance) Promise() string {
	switch {
	case o.NotPrivate != "":
		return "NOT PRIVATE: " + o.NotPrivate
	case o.Guarantee == nil:
		return "no guarantee: no release made this value"
	}
	line := o.Guarantee.String()
	if o.Unit != "" {
		line += ", unit: " + o.Unit
	}
	return line
}

// WhatCounts says in one line what the numbers are of; "" where they are of all rows, as they are.
func (o Provenance) WhatCounts() string {
	if o.Counted == "" {
		return ""
	}
	return "counted: " + o.Counted
}

// Ends are the last fields of each record of a file of comma-separated values, with their heads: what the numbers are of, where that is not
// all rows as they are, and the promise.
func Ends(o Provenance) (heads, fields []string) {
	if o.Counted != "" {
		heads, fields = append(heads, "counted"), append(fields, o.Counted)
	}
	return append(heads, "promise"), append(fields, o.Promise())
}

// Weak reports a promise that must stand out wherever it is shown: the value is not private, no release made it, its guarantee is
// incomplete or has an infinite ε, or holds only between datasets that satisfy a condition.
func (o Provenance) Weak() bool {
	return o.NotPrivate != "" || o.Guarantee == nil || o.Sound() != nil || o.Guarantee.Scope.Kind == accountant.Conditional
}

// Under is text with what a value is of and what it promises, on lines of their own below lines, else after it; the zero Provenance adds
// nothing.
func Under(o Provenance, text string) string {
	if o == (Provenance{}) {
		return text
	}
	between, end := "; ", ""
	if strings.HasSuffix(text, "\n") {
		between, end = "", "\n"
	}
	if words := o.WhatCounts(); words != "" {
		text += between + words + end
	}
	return text + between + o.Promise() + end
}

// Sound reports a provenance that promises what cannot be, as only a damaged file does.
func (o *Provenance) Sound() error {
	g := o.Guarantee
	if g == nil {
		return nil
	}
	if o.NotPrivate != "" {
		return fmt.Errorf("it has a guarantee, and says that it is not private")
	}
	if !(g.Epsilon >= 0) || math.IsInf(g.Epsilon, 1) || !(g.Delta >= 0 && g.Delta < 1) {
		return fmt.Errorf("guarantee: got (%g, %g), want ε ≥ 0 and δ in [0, 1)", g.Epsilon, g.Delta)
	}
	if err := g.Neighbours.Validate(); err != nil {
		return err
	}
	return g.Scope.Validate()
}
