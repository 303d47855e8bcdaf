package models

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
)

// Provenance is where a model came from, as its release noted: it goes with the model into a file. The zero Provenance, of a
// model that no release made, promises nothing.
type Provenance struct {
	Release string `json:"release,omitempty"` // the mechanism and its parameters
	// Guarantee is that of the release; nil for a model that is not private.
	Guarantee *accountant.Guarantee `json:"guarantee,omitempty"`
	// NotPrivate is empty for a private release; otherwise it says why the model is not private.
	NotPrivate string `json:"not_private,omitempty"`
}

// Signed is a pointer to a model that notes where it came from: one that has a [Provenance].
type Signed interface{ origin() *Provenance }

func (o *Provenance) origin() *Provenance { return o }

// Sign notes the name of the release and its guarantee, or why there is none: notPrivate is "" for a private release.
func Sign(m Signed, release string, g accountant.Guarantee, notPrivate string) {
	o := m.origin()
	*o = Provenance{Release: release, NotPrivate: notPrivate}
	if notPrivate == "" {
		o.Guarantee = &g
	}
}

// sound reports a provenance that promises what cannot be, as only a damaged file does.
func (o *Provenance) sound() error {
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
