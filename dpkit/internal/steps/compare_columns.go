package steps

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// The ways to centre, scale by largest values, clamp and select columns. What the public ways need to know only the caller can
// know from outside the data: they are listed with their price and not recommended. A model of linear scores spans the same functions of
// columns with any scale: there the error of the noise decides.

func (c Centering) Alternatives(stage.Stage, float64) []stage.Alternative {
	return []stage.Alternative{
		{Kind: stage.Fitted, Step: c, Same: true, Note: "as written"},
		{Kind: stage.Public, Step: Scale{}, SameModel: true, Note: "centres at the middle of the public bounds, and scales; the intercept of a model takes up what is left"},
	}
}

func (m MaxAbs) Alternatives(stage.Stage, float64) []stage.Alternative {
	return []stage.Alternative{
		{Kind: stage.Fitted, Step: m, Same: true, Note: "as written"},
		{Kind: stage.Public, Step: Scale{}, SameModel: true, Note: "public bounds in place of the largest values in the data"},
	}
}

func (s SmoothWinsor) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	public := PublicQuantiles{}
	for _, name := range s.Columns {
		c, _ := st.In.Column(name)
		public.Lo = append(public.Lo, c.Lo+s.Q*(c.Hi-c.Lo))
		public.Hi = append(public.Hi, c.Hi-s.Q*(c.Hi-c.Lo))
	}
	return []stage.Alternative{
		{Kind: stage.Fitted, Step: s, Same: true, Note: "as written"},
		{
			Kind: stage.Public, Step: PublicWinsor{public, s.Columns},
			Note: "public numbers in place of quantiles of the rows; those of other data do the same job",
		},
	}
}

func (c ClipColumns) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	private := PrivateBounds{GuessLo: c.Lo, GuessHi: c.Hi}
	return []stage.Alternative{
		{Kind: stage.Public, Step: c, Same: true, Note: "as written"},
		private.way(c.Columns, st, mu),
	}
}

func (w PublicWinsor) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	private := PrivateBounds{GuessLo: slices.Min(w.Lo), GuessHi: slices.Max(w.Hi)}
	return []stage.Alternative{
		{Kind: stage.Public, Step: w, Same: true, Note: "as written"},
		private.way(w.Columns, st, mu),
	}
}

func (w PrivateWinsor) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	ways := []stage.Alternative{{Kind: stage.Private, Step: w, Same: true, Note: "as written"}}
	lo, hi := w.GuessLo, w.GuessHi
	if lo < hi {
		ways = append(ways, stage.Alternative{
			Kind: stage.Public, Step: ClipColumns{lo, hi, w.Columns},
			Note: "if you know them from outside the data, as from a codebook: they cost nothing",
		})
	}
	return ways
}

// way is the private one to clamp columns for which public bounds are written: with a share at which bins of a hundredth of the rows are
// found.
func (b PrivateBounds) way(columns []string, st stage.Stage, mu float64) stage.Alternative {
	w := PrivateWinsor{PrivateBounds: b, Columns: columns}
	bins := 0
	for _, c := range w.columns(st.In) {
		bins = max(bins, len(sizeBins(c))-1)
	}
	root := float64(st.Before.F) * math.Sqrt(2*float64(len(columns))) * num.LeastCount(1, bins, falseBin) * 100 / (mu * float64(max(1, st.Before.N)))
	w.Share = clampShare(root)
	return stage.Alternative{
		Kind: stage.Private, Step: w,
		Note: "nobody needs to know bounds: they come out at the release, as powers of two; predicted as if the rows filled those that are written",
	}
}

func (s SoftSelection) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	var names []string
	for _, u := range domain.UnitsOf(st.In) {
		names = append(names, u.Name)
	}
	return []stage.Alternative{
		{Kind: stage.Fitted, Step: s, Same: true, Note: "as written"},
		{Kind: stage.Public, Step: Choose{true, names}, Note: "name the columns that matter from outside the data; here all of them"},
	}
}
