package dpkit

import "math"

// The ways to encode categories and to bin numbers.

func (e targetEncode) alternatives(st Stage, _ float64) []Alternative {
	return encodings(e, e.Columns, st)
}

func (e frequencyEncode) alternatives(st Stage, _ float64) []Alternative {
	return encodings(e, e.Columns, st)
}

// encodings lists the written way and the public ones.
func encodings(written Preprocessor, columns []string, st Stage) []Alternative {
	names, err := categories(st.In, columns)
	if err != nil {
		return nil
	}
	return []Alternative{
		{Kind: Fitted, Step: written, Same: true, Note: "as written"},
		{
			Kind: Public, Step: oneHot{names}, Same: true,
			Note: "a linear model on the levels spans what it does on one number for each level, in more columns",
		},
		{Kind: Public, Step: ordinal{names}, Note: "one number for each level by its public order: for levels that have one"},
	}
}

func (r rankTransform) alternatives(st Stage, _ float64) []Alternative {
	return binnings(r, 10, r.Columns, st)
}

func (q quantileBin) alternatives(st Stage, _ float64) []Alternative {
	return binnings(q, q.Bins, q.Columns, st)
}

// binnings lists the written way, and public cells of equal widths in place of equal filling.
func binnings(written Preprocessor, bins int, columns []string, st Stage) []Alternative {
	ways := []Alternative{{Kind: Fitted, Step: written, Same: true, Note: "as written"}}
	lo, hi, width := math.Inf(-1), math.Inf(1), 0.0
	for _, name := range columns {
		c, _ := st.In.Column(name)
		lo, hi, width = max(lo, c.Lo), min(hi, c.Hi), max(width, c.Hi-c.Lo)
	}
	const note = "public edges of equal distances; from public quantiles they do the same job"
	if few := min(bins, 20); lo < hi {
		edges := make([]float64, few-1)
		for i := range edges {
			edges[i] = lo + (hi-lo)*float64(i+1)/float64(few)
		}
		if risingEdges(edges) == nil {
			ways = append(ways, Alternative{Kind: Public, Step: bin{edges, columns}, Note: note + "; encode the levels with OneHot or Ordinal"})
		}
	}
	return append(ways, Alternative{Kind: Public, Step: quantize{width / float64(bins), columns}, Note: note})
}
