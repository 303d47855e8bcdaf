package steps

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
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
