package steps

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// The ways to encode categories and to bin numbers.

func (e TargetEncode) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	return encodings(e, e.Columns, st)
}

func (e FrequencyEncode) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	return encodings(e, e.Columns, st)
}

// encodings lists the written way and the public ones.
func encodings(written stage.Preprocessor, columns []string, st stage.Stage) []stage.Alternative {
	names, err := domain.Categories(st.In, columns)
	if err != nil {
		return nil
	}
	return []stage.Alternative{
		{Kind: stage.Fitted, Step: written, Same: true, Note: "as written"},
		{
			Kind: stage.Public, Step: OneHot{names}, Same: true,
			Note: "a linear model on the levels spans what it does on one number for each level, in more columns",
		},
		{Kind: stage.Public, Step: Ordinal{names}, Note: "one number for each level by its public order: for levels that have one"},
	}
}

func (r RankTransform) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	return binnings(r, 10, r.Columns, st)
}

func (q QuantileBin) Alternatives(st stage.Stage, _ float64) []stage.Alternative {
	return binnings(q, q.Bins, q.Columns, st)
}

// binnings lists the written way, and public cells of equal widths in place of equal filling.
func binnings(written stage.Preprocessor, bins int, columns []string, st stage.Stage) []stage.Alternative {
	ways := []stage.Alternative{{Kind: stage.Fitted, Step: written, Same: true, Note: "as written"}}
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
		if num.RisingEdges(edges) == nil {
			ways = append(ways, stage.Alternative{Kind: stage.Public, Step: Bin{edges, columns}, Note: note + "; encode the levels with OneHot or Ordinal"})
		}
	}
	return append(ways, stage.Alternative{Kind: stage.Public, Step: Quantize{width / float64(bins), columns}, Note: note})
}
