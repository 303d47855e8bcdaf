package steps

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// subset is the part of a row that a fitted step writes to, with what is public about it.
type subset struct {
	at       []int     // positions in a feature row
	lo, hi   []float64 // bounds of the values; 0 lies in them where a row may be empty
	names    []string
	radius   float64 // bound on the norm of the part
	diameter float64 // bound on the distance of two parts, an empty one included
	rest     bool    // there are other features
}

// subsetOf returns the features of the named units (numeric columns or blocks), all where none is named.
func subsetOf(st stage.Stage, names ColumnSet) subset {
	var s subset
	features := st.In.Features()
	for _, u := range domain.UnitsOf(st.In) {
		if len(names) > 0 && !slices.Contains(names, u.Name) {
			s.rest = true
			continue
		}
		u.Lo, u.Hi = st.Bounds(frames.Column{Lo: u.Lo, Hi: u.Hi})
		for j := u.At; j < u.At+u.Len; j++ {
			lo, hi := st.Bounds(features[j])
			s.at, s.names = append(s.at, j), append(s.names, features[j].Name)
			s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
		}
		s.radius = math.Hypot(s.radius, max(math.Abs(u.Lo), math.Abs(u.Hi)))
		s.diameter = math.Hypot(s.diameter, u.Diameter())
	}
	s.radius, s.diameter = stage.UpSum(s.radius, len(s.at)), stage.UpSum(s.diameter, len(s.at))
	return s
}

// pair is the pair state of the part, on the columns of the subset alone.
func (s subset) pair(p pair.State) pair.State {
	p.DFree = min(p.D(), s.diameter)
	p.R = min(p.R, s.radius)
	return p
}

// clean reports whether no common row differs in the subset.
func (s subset) clean(t stage.Taint) bool {
	return !slices.ContainsFunc(s.names, func(name string) bool { return t[name] })
}

// widths bound the distance of two values of a column: a row has at most the norm r.
func (s subset) widths(r float64) []float64 {
	out := make([]float64, len(s.at))
	for i := range out {
		out[i] = min(stage.Up(s.hi[i]-s.lo[i]), 2*r)
	}
	return out
}

// heights bound the absolute value in a column.
func (s subset) heights(r float64) []float64 {
	out := make([]float64, len(s.at))
	for i := range out {
		out[i] = min(max(math.Abs(s.lo[i]), math.Abs(s.hi[i])), r)
	}
	return out
}

// known reports the first name that is no unit of the features.
func (cs ColumnSet) known(in frames.Schema) error {
	us := domain.UnitsOf(in)
	for _, name := range cs {
		if !slices.ContainsFunc(us, func(u domain.Unit) bool { return u.Name == name }) {
			return domain.UnknownColumn(name, in)
		}
	}
	return nil
}

// powers returns (Σ v^k)^{1/k} for k = 2 and 4 and the maximum of non-negative numbers.
func powers(v []float64) (two, four, most float64) {
	for _, x := range v {
		two, most = math.Hypot(two, x), max(most, x)
	}
	for _, x := range v { // with a common factor taken out, no power that counts underflows
		if most > 0 {
			four += math.Pow(x/most, 4)
		}
	}
	return two, most * math.Sqrt(math.Sqrt(four)), most
}

// minShare of R² is the least λ: fits form R³/λ and R⁴.
const minShare = 1e-18
