package viz

import (
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// Axis names an axis and says how it is divided.
type Axis struct {
	Name  string
	Unit  string     // beside the name in brackets; "" for none
	Log   bool       // logarithmic; what is not positive cannot be drawn there, and the plot says so
	Range [2]float64 // from, to; zero for the range of the data
	Loss  bool       // values are privacy losses: where they are printed they are rounded up
	Dates bool       // values are days since 1970-01-01, as [Day] counts them: marks and words are dates. Log does not apply

	whole bool     // no marks between whole numbers
	names []string // of 0, 1, 2, …, in place of numbers
}

// label is the name with its unit.
func (a Axis) label() string {
	if a.Unit == "" {
		return clean(a.Name)
	}
	return strings.TrimSpace(clean(a.Name) + " [" + clean(a.Unit) + "]")
}

// print prints a value of the axis.
func (a Axis) print(v float64) string {
	if i := int(v); i >= 0 && i < len(a.names) && float64(i) == v {
		return a.names[i]
	}
	switch {
	case a.Dates:
		return dateOf(v)
	case a.Loss:
		return up(v)
	}
	return near(v)
}

// scale maps [lo, hi] to [0, 1].
type scale struct {
	lo, hi float64
	log    bool
	whole  bool
	dates  bool
	marks  []float64 // where its marks are; nil for round numbers
	names  []string  // of 0, 1, 2, …, as marks
}

// at is where v lies. It is false for what has no place: NaN, ±Inf, and on a logarithmic scale what
// is not positive.
func (s scale) at(v float64) (float64, bool) {
	lo, hi := s.lo, s.hi
	if s.log {
		if !(v > 0) {
			return 0, false
		}
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	u := (v/2 - lo/2) / (hi/2 - lo/2) // halves: hi − lo may overflow
	return u, u-u == 0
}

// scaleOf is the scale of an axis for the given values. Around data it leaves a margin, but it does
// not reach below 0 for their sake.
func scaleOf(a Axis, values ...[]float64) scale {
	a.Log = a.Log && !a.Dates
	s := scale{lo: a.Range[0], hi: a.Range[1], log: a.Log, whole: a.whole, dates: a.Dates, names: a.names}
	if s.lo < s.hi && s.lo-s.lo == 0 && s.hi-s.hi == 0 && (!a.Log || s.lo > 0) {
		return s
	}
	s.lo, s.hi = reach(a.Log, values...)
	const margin = 0.04
	switch {
	case s.lo > s.hi: // nothing to draw
		s.lo, s.hi = 0, 1
		if a.Log {
			s.lo = 0.1
		}
	case a.Log && s.hi/s.lo < 1.0001:
		s.lo, s.hi = max(s.lo/3, math.SmallestNonzeroFloat64), min(s.hi*3, math.MaxFloat64)
	case a.Log:
		pad := math.Pow(s.hi/s.lo, margin)
		if math.IsInf(pad, 1) {
			pad = 1
		}
		s.lo, s.hi = max(s.lo/pad, math.SmallestNonzeroFloat64), min(s.hi*pad, math.MaxFloat64)
	case s.hi-s.lo <= 1e-9*max(math.Abs(s.lo), math.Abs(s.hi)) || s.lo == s.hi:
		pad := max(math.Abs(s.lo)/2, math.SmallestNonzeroFloat64)
		if s.lo == 0 {
			pad = 1
		}
		s.lo, s.hi = max(s.lo-pad, -math.MaxFloat64), min(s.hi+pad, math.MaxFloat64)
	default:
		pad := min(margin*(s.hi/2-s.lo/2)*2, math.MaxFloat64)
		from, to := s.lo-pad, s.hi+pad
		if a.Dates {
			s.lo, s.hi = from, to // 1970 is no zero
			break
		}
		if s.lo >= 0 && from < 0.25*(s.hi-s.lo) {
			from = 0
		}
		if s.hi <= 0 && to > 0 {
			to = 0
		}
		s.lo, s.hi = max(from, -math.MaxFloat64), min(to, math.MaxFloat64)
	}
	return s
}

// reach is from the least to the greatest value that has a place; lo > hi if there is none.
func reach(log bool, values ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, list := range values {
		for _, v := range list {
			if v-v == 0 && (!log || v > 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return lo, hi
}

// tick is a mark of an axis.
type tick struct {
	value float64
	label string // "" for a line alone
	power string // written above the label's end, as an exponent
	minor bool   // a short line below the axis
}

// ticks are the marks of a scale.
func (s scale) ticks() []tick {
	var out []tick
	for _, v := range s.marks {
		out = append(out, tick{value: v, label: theme.TickLabel(v)})
	}
	const named = 12
	for i := 0; i < len(s.names); i += (len(s.names) + named - 1) / named {
		out = append(out, tick{value: float64(i), label: s.names[i]})
	}
	switch {
	case len(out) > 0:
	case s.dates:
		out = dateTicks(s.lo, s.hi)
	case s.log:
		out = s.logTicks()
	}
	if len(out) == 0 {
		for _, v := range theme.Ticks(s.lo, s.hi) {
			if s.whole && v != math.Trunc(v) {
				continue
			}
			out = append(out, tick{value: v, label: theme.TickLabel(v)})
		}
	}
	return out
}

// logTicks are powers of ten, at most seven of them labelled, and where there are fewer than three
// also twice and five times such powers. None if fewer than two would be left.
func (s scale) logTicks() []tick {
	first, last := int(math.Ceil(math.Log10(s.lo)-1e-9)), int(math.Floor(math.Log10(s.hi)+1e-9))
	var out []tick
	if decades := last - first + 1; decades >= 3 {
		every := (decades + 6) / 7
		for k := first; k <= last; k++ {
			t := tick{value: math.Pow10(k)}
			if (k-first)%every == 0 {
				t.label, t.power = "10", strings.Replace(strconv.Itoa(k), "-", "−", 1)
				if first >= -3 && last <= 4 {
					t.label, t.power = theme.TickLabel(t.value), ""
				}
			}
			out = append(out, t)
		}
		if decades <= 6 {
			for k := first - 1; k <= last; k++ {
				for m := 2.0; m < 10; m++ {
					if v := m * math.Pow10(k); v > s.lo && v < s.hi {
						out = append(out, tick{value: v, minor: true})
					}
				}
			}
		}
		return out
	}
	for k := first - 1; k <= last; k++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow10(k); v >= s.lo*(1-1e-9) && v <= s.hi*(1+1e-9) {
				out = append(out, tick{value: v, label: theme.TickLabel(v)})
			}
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}
