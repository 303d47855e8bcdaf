package accountant

import (
	"github.com/dpkit-go/dpnb/accountant/pld"
	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// profile is that of all parts together down to the failure, for ideal samplers, and the distance of theirs.
func (c *chargeable) profile(parts []Event, failure float64) (cover, float64, error) {
	ideals, tv := make([]Event, len(parts)), 0.0
	by := CoverByLosses
	for i, p := range parts {
		e, v, err := ideal(p, c.rel)
		if err != nil {
			return cover{}, 0, err
		}
		ideals[i], tv = e, quad.AddUp(tv, v)
		if len(parts) > 1 {
			continue
		}
		if g, ok := p.(gaussianCovered); ok {
			by = g.by
		} else if exact, err := hasExactProfile(e, c.rel); exact || err != nil {
			by = CoverByPrice
		}
	}
	key := profileKey{rel: c.rel, failure: failure, by: by}
	var of Event = composition{ideals}
	if len(ideals) == 1 {
		of = ideals[0]
	}
	compute := func() profileFound {
		w, err := profileTo(of, c.rel, failure, by)
		return profileFound{w, err}
	}
	law, err := Marshal(of)
	if err != nil { // of others: not known by its text
		found := compute()
		return found.cover, min(1, tv), found.err
	}
	key.law = string(law)
	found := chargedProfiles.Of(key, compute)
	return found.cover, min(1, tv), found.err
}

// chargedProfiles keeps what took long: a ledger asks once for the price and once for the charge.
var chargedProfiles memo.Memo[profileKey, profileFound]

type profileKey struct {
	law     string
	rel     Neighbours
	failure float64
	by      CoverBy
}

type profileFound struct {
	cover cover
	err   error
}

func profileTo(of Event, rel Neighbours, failure float64, by CoverBy) (cover, error) {
	at := func(epsilon float64) (float64, error) {
		g, err := DeltaOf(of, rel, epsilon)
		return g.Delta, err
	}
	if by == CoverByLosses {
		d, err := PLD(of, rel)
		if err != nil {
			return cover{}, err
		}
		d = d.With(pld.Options{RelTol: 0x1p-10, UpperOnly: true})
		at = func(epsilon float64) (float64, error) {
			delta, _, err := d.Delta(epsilon)
			return delta, err
		}
	}
	if by != CoverByPrice {
		p, err := chords(at, failure)
		if err != nil {
			return cover{}, err
		}
		at = func(epsilon float64) (float64, error) { return p(epsilon), nil }
	}
	if o, ok := of.(ObjectivePerturbation); ok && rel == AddRemove {
		if l, err := o.loss(rel); err == nil && l.oneSign { // sharper at small ε
			t := l.transport()
			at = func(epsilon float64) (float64, error) {
				d := t.delta(epsilon)
				if l.logistic {
					d = min(d, l.logisticDeltaTo(epsilon, coverTolerance))
				}
				return min(d, t.added(0)), nil
			}
		}
	}
	return newCover(of, failure, at)
}
