package steps

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// The ways to denoise or project by second moments, and to scale by spreads.

func (s Spectral) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return components(s, stage.Fitted, s.least(), st, mu)
}

func (s CentredSpectral) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return components(s, stage.Fitted, s.least(), st, mu)
}

// least is about the size of the eigenvalues that the filter resolves, in units of R².
func (s SpectralFit) least() (lambda float64) {
	for _, c := range s.Filter.Constants(1).public {
		lambda = max(lambda, c.Value)
	}
	return lambda
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
	d := st.In.Width()
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
	for _, share := range shares(clampShare(edge / (lambda / 2))) {
		p.Share = share
		ways = append(ways, stage.Alternative{
			Kind: stage.Private, Step: PrivatePCA{p}, SameModel: true,
			Note: fmt.Sprintf("the released second moment is off by about %.2g R² in operator norm", edge/math.Sqrt(share)),
		})
	}
	return ways
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
	ways := []stage.Alternative{{Kind: kind, Step: written, Same: true, Note: "as written"}}
	if len(s.Columns) == 0 {
		ways = append(ways, stage.Alternative{Kind: stage.Public, Step: Scale{}, SameModel: true, Note: "public bounds in place of the spreads in the data"})
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
	for _, share := range shares(clampShare(one / 0.1)) {
		p.How = at(share)
		ways = append(ways, stage.Alternative{
			Kind: stage.Private, Step: p, Same: true,
			Note: fmt.Sprintf("standard error of a mean square: %.2g of the floor's", one/math.Sqrt(share)),
		})
	}
	return ways
}
