package dpkit

// Quantiles releases several quantiles of a numeric column over all rows in one charge: the table By() of no column with a [Grouping.Quantile] of each
// q, drawn by exponential mechanisms whose exact composition is priced (docs/theory/tables.md#quantiles-of-groups).
//
//	r, err := session.Data().Quantiles(dpkit.Target{Epsilon: 1}, []float64{0.1, 0.5, 0.9}, "stay").Release(ctx)
//	median, err := r.Value.At("median of stay")
//
// What each is drawn for bounds the others: a quantile has an interval in the column's unit where those beside it are further off in rank than their own
// margins (docs/theory/tables.md#intervals-of-quantiles), so that the outermost ones are bounded on one side by the column's bounds alone. Quantiles that
// are nearer to each other in rank than their margins may come out in another order. No step may have displaced the column: there is [Pipeline.Quantile] for that.
func (p Pipeline) Quantiles(t Target, qs []float64, column string) Plan[Table] {
	g := p.By()
	for _, q := range qs {
		g = g.Quantile(q, column)
	}
	return g.Table(t)
}
