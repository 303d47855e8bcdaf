package dpkit

// Variance releases the variance of each of the named columns over all rows, in squares of its unit, and its standard deviation, with intervals that hold
// those of the rows. It is the table By() of no column, one draw for all:
//
//	r, err := session.Data().Impute(dpkit.Midpoint{}).Variance(dpkit.Target{Epsilon: 1, Delta: 1e-6}, "stay", "cost").Release(ctx)
//	stay, err := r.Value.At("standard deviation of stay")
//
// Behind a step that displaced rows it pays for how far they can move (docs/theory/tables.md#one-draw); what a variance is off by hangs on the mean's
// noise in second order alone (docs/theory/tables.md#variances-of-groups). Several columns whose correlations are of interest too come out of one
// [Pipeline.Correlation].
func (p Pipeline) Variance(t Target, columns ...string) Plan[Table] {
	g := p.By()
	for _, c := range columns {
		g = g.Variance(c).StdDev(c)
	}
	return g.Table(t)
}
