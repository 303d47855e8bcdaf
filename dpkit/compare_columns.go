package dpkit

// The ways to centre, clamp and select columns. What the public ways need to know only the caller can
// know from outside the data: they are listed with their price and not recommended.

func (c center) alternatives(Stage, float64) []Alternative {
	return []Alternative{
		{Kind: Fitted, Step: c, Same: true, Note: "as written"},
		{Kind: Public, Step: scale{}, Note: "centres at the middle of the public bounds, and scales; the intercept of a model takes up what is left"},
	}
}

func (s smoothWinsor) alternatives(st Stage, _ float64) []Alternative {
	public := PublicQuantiles{}
	for _, name := range s.Columns {
		c, _ := st.In.Column(name)
		public.Lo = append(public.Lo, c.Lo+s.Q*(c.Hi-c.Lo))
		public.Hi = append(public.Hi, c.Hi-s.Q*(c.Hi-c.Lo))
	}
	return []Alternative{
		{Kind: Fitted, Step: s, Same: true, Note: "as written"},
		{
			Kind: Public, Step: publicWinsor{public, s.Columns},
			Note: "public numbers in place of quantiles of the rows; those of other data do the same job",
		},
	}
}

func (s softSelect) alternatives(st Stage, _ float64) []Alternative {
	var names []string
	for _, u := range unitsOf(st.In) {
		names = append(names, u.name)
	}
	return []Alternative{
		{Kind: Fitted, Step: s, Same: true, Note: "as written"},
		{Kind: Public, Step: choose{true, names}, Note: "name the columns that matter from outside the data; here all of them"},
	}
}
