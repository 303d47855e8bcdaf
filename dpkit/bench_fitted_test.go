package dpkit

import (
	"math"
	"slices"
	"sort"
)

// fittedSteps joins benchSteps: scales, encoders, ranks and dedup against their plain loops.
var fittedSteps = []benchStep{
	{"Standardize RMS", "full", func(p Pipeline) Pipeline { return p.Standardize(RMS{Floor: 0.01}) }, func(x []float64, d int) []float64 {
		square := make([]float64, d)
		for i := 0; i < len(x); i += d {
			for j, v := range x[i : i+d] {
				square[j] += v * v
			}
		}
		for j := range square {
			square[j] = 1 / math.Sqrt(square[j]/stepRows)
		}
		return plainScale(x, d, make([]float64, d), square)
	}},
	{"Standardize Standard", "full", func(p Pipeline) Pipeline { return p.Standardize(Standard{Floor: 0.01}) }, func(x []float64, d int) []float64 {
		sum, square := make([]float64, d), make([]float64, d)
		for i := 0; i < len(x); i += d {
			for j, v := range x[i : i+d] {
				sum[j] += v
				square[j] += v * v
			}
		}
		for j := range square {
			sum[j] /= stepRows
			square[j] = 1 / math.Sqrt(square[j]/stepRows-sum[j]*sum[j])
		}
		return plainScale(x, d, sum, square)
	}},
	{"SelectFeatures", "full", func(p Pipeline) Pipeline { return p.SelectFeatures(SoftSelect{Lambda: 0.01}) }, func(x []float64, d int) []float64 {
		square := make([]float64, d)
		for i := 0; i < len(x); i += d {
			for j, v := range x[i : i+d] {
				square[j] += v * v
			}
		}
		for j := range square {
			square[j] = max(0, 1-0.1/math.Sqrt(square[j]/stepRows))
		}
		return plainScale(x, d, make([]float64, d), square)
	}},
	{"Impute Median", "missing", func(p Pipeline) Pipeline { return p.Impute(Median{}) }, func(x []float64, d int) []float64 {
		median := make([]float64, d)
		for j := range d {
			col := plainColumn(x, d, j)
			median[j] = col[len(col)/2]
		}
		return plainFill(x, d, median)
	}},
	{"Ordinal", "coded", func(p Pipeline) Pipeline { return p.Ordinal() }, func(x []float64, d int) []float64 {
		out := slices.Clone(x)
		for i := 0; i < len(x); i += d {
			out[i], out[i+1] = x[i]/3, x[i+1]/3
		}
		return out
	}},
	{"FrequencyEncode", "coded", func(p Pipeline) Pipeline { return p.FrequencyEncode() }, func(x []float64, d int) []float64 {
		var count [2][4]float64
		for i := 0; i < len(x); i += d {
			count[0][int(x[i])]++
			count[1][int(x[i+1])]++
		}
		out := slices.Clone(x)
		for i := 0; i < len(x); i += d {
			out[i], out[i+1] = count[0][int(x[i])]/stepRows, count[1][int(x[i+1])]/stepRows
		}
		return out
	}},
	{"RankTransform", "full", func(p Pipeline) Pipeline { return p.RankTransform("x0", "x1") }, func(x []float64, d int) []float64 {
		return plainRanks(x, d, func(rank float64) float64 { return rank })
	}},
	{"QuantileBin", "full", func(p Pipeline) Pipeline { return p.QuantileBin(10, "x0", "x1") }, func(x []float64, d int) []float64 {
		return plainRanks(x, d, func(rank float64) float64 { return (math.Floor(rank*10) + 0.5) / 10 })
	}},
	{"Bin", "full", func(p Pipeline) Pipeline { return p.Bin([]float64{-0.5, 0, 0.5}, "x0", "x1") }, func(x []float64, d int) []float64 {
		out := slices.Clone(x)
		edges := []float64{-0.5, 0, 0.5}
		for i := 0; i < len(x); i += d {
			for j := range 2 {
				out[i+j] = float64(sort.SearchFloat64s(edges, x[i+j]))
			}
		}
		return out
	}},
	{"QuantizeMeans", "full", func(p Pipeline) Pipeline { return p.QuantizeMeans(CellMean{Width: 0.1, Weight: 1}, "x0", "x1") }, func(x []float64, d int) []float64 {
		var sum [400][3]float64
		cell := func(i int) int { return min(int((x[i]+1)*10), 19)*20 + min(int((x[i+1]+1)*10), 19) }
		for i := 0; i < len(x); i += d {
			c := &sum[cell(i)]
			c[0], c[1], c[2] = c[0]+x[i], c[1]+x[i+1], c[2]+1
		}
		out := slices.Clone(x)
		for i := 0; i < len(x); i += d {
			c := sum[cell(i)]
			out[i], out[i+1] = c[0]/c[2], c[1]/c[2]
		}
		return out
	}},
	{"Dedup exact", "full", func(p Pipeline) Pipeline { return p.Dedup(Exact{}) }, plainDedup},
	{"Dedup grid", "full", func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 0.1}) }, func(x []float64, d int) []float64 {
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = (math.Floor((v+1)/0.1)+0.5)*0.1 - 1
		}
		return plainDedup(out, d)
	}},
}

func plainScale(x []float64, d int, shift, scale []float64) []float64 {
	out := make([]float64, len(x))
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			out[i+j] = (v - shift[j]) * scale[j]
		}
	}
	return out
}

// plainColumn is a sorted column without its missing cells.
func plainColumn(x []float64, d, j int) []float64 {
	col := make([]float64, 0, len(x)/d)
	for i := j; i < len(x); i += d {
		if !math.IsNaN(x[i]) {
			col = append(col, x[i])
		}
	}
	slices.Sort(col)
	return col
}

// plainRanks maps the first two columns to f of their ranks in [0, 1].
func plainRanks(x []float64, d int, f func(float64) float64) []float64 {
	out := slices.Clone(x)
	for j := range 2 {
		col := plainColumn(x, d, j)
		for i := j; i < len(x); i += d {
			out[i] = f(float64(sort.SearchFloat64s(col, x[i])) / stepRows)
		}
	}
	return out
}

// plainDedup keeps the first of equal rows, by a map of them.
func plainDedup(x []float64, d int) []float64 {
	seen := make(map[[stepCols]float64]struct{}, len(x)/d)
	out := make([]float64, 0, len(x))
	for i := 0; i < len(x); i += d {
		row := [stepCols]float64(x[i : i+d])
		if _, ok := seen[row]; !ok {
			seen[row] = struct{}{}
			out = append(out, row[:]...)
		}
	}
	return out
}
