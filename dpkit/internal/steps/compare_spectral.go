package steps

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// The ways to denoise or project by second moments, and to scale by spreads.

func (s Spectral) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	lambda := 0.0
	for _, c := range s.Filter.Constants(1).public { // units of R²
		lambda = max(lambda, c.Value)
	}
	return components(s, stage.Fitted, lambda, st, mu)
}

func (h Projector) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return components(h, kindOf(h.Gap), h.Gap.Value(), st, mu)
}

func kindOf(c query.Certificate) stage.Kind {
	if c.Ground() == stage.FromTest {
		return stage.TestedFit
	}
	return stage.Fitted
}

// components lists the written way and a private one that resolves eigenvalues of the size lambda, in
// units of R².
func components(written stage.Preprocessor, kind stage.Kind, lambda float64, st stage.Stage, mu float64) []stage.Alternative {
	ways := []stage.Alternative{{Kind: kind, Step: written, Same: true, Note: "as written"}}
	d := len(st.In.Features())
	if h, ok := written.(Projector); ok {
		ways = append(ways, stage.Alternative{
			Kind: stage.Fitted, Step: FilterBy(SoftThreshold{Lambda: h.Gap.Value()}), Same: true,
			Note: "a soft filter at the size of the gap has a price on every dataset",
		})
		if h.Gap.Ground() == stage.FromDeclaration {
			tested := h
			tested.Gap = query.Test(h.Gap.Value(), query.Tested{Share: 0.05, Delta: 1e-12})
			ways = append(ways, stage.Alternative{Kind: stage.TestedFit, Step: tested, Same: true, Note: "passes only where the gap is clearly larger"})
		}
	}
	// Noise of standard deviation sd on the entries of A off the diagonal moves it by about 2·sd·√d/√2 in
	// operator norm (the edge of the semicircle); half of lambda is small enough.
	p := PrivateComponents{K: max(1, d/2)}
	if h, ok := written.(Projector); ok {
		p.K = h.K
	}
	list, err := PrivatePCA{p}.Expenses(st)
	if err != nil || !(mu > 0) {
		return ways
	}
	r := st.Before.R
	edge := math.Sqrt2 * math.Sqrt(float64(d)) * list[0].Query.Sensitivity / (mu * float64(st.Before.N) * r * r)
	p.Share = clampShare(edge / (lambda / 2))
	off := edge / math.Sqrt(p.Share)
	return append(ways, stage.Alternative{
		Kind: stage.Private, Step: PrivatePCA{p}, Same: true, Adequate: off <= lambda/2*1.01,
		Note: fmt.Sprintf("the released second moment is off by about %.2g R² in operator norm", off),
	})
}

func (s Standardize) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return scales(s, s, st, mu)
}

func (s PrivateScale) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return scales(s, s.Standardize, st, mu)
}

// scales lists the written way, the public bounds, and fitted and private spreads.
func scales(written stage.Preprocessor, s Standardize, st stage.Stage, mu float64) []stage.Alternative {
	sc := s.How.scale()
	kind := kindOf(sc.least)
	if _, ok := written.(PrivateScale); ok {
		kind = stage.Private
	}
	ways := []stage.Alternative{{Kind: kind, Step: written, Same: true, Adequate: true, Note: "as written"}}
	if len(s.Columns) == 0 {
		ways = append(ways, stage.Alternative{Kind: stage.Public, Step: Scale{}, Note: "public bounds in place of the spreads in the data"})
	}
	if kind == stage.Private {
		fitted := s
		if fitted.How = (RMS{Floor: sc.floor, Gain: sc.gain}); sc.centred {
			fitted.How = Standard{Floor: sc.floor, Gain: sc.gain}
		}
		return append(ways, stage.Alternative{Kind: stage.Fitted, Step: fitted, Same: true})
	}
	p := PrivateScale{Standardize: s}
	at := func(share float64) Standardizer {
		if sc.centred {
			return PrivateStandard{Share: share, Floor: sc.floor, Gain: sc.gain}
		}
		return PrivateRMS{Share: share, Floor: sc.floor, Gain: sc.gain}
	}
	p.How = at(0.5)
	list, err := p.Expenses(st)
	if err != nil || !(mu > 0) {
		return ways
	}
	// A tenth of the least mean square that divides: a scale is then off by 5 % at most.
	r := st.Before.R
	one := list[0].Query.Sensitivity / (mu * float64(st.Before.N)) / (sc.floor * sc.floor * r * r)
	share := clampShare(one / 0.1)
	p.How = at(share)
	off := one / math.Sqrt(share)
	return append(ways, stage.Alternative{
		Kind: stage.Private, Step: p, Same: true, Adequate: off <= 0.101,
		Note: fmt.Sprintf("standard error of a mean square: %.2g of the floor's", off),
	})
}
