package steps

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// What steps make of the reference population.

// fills accounts for cells that a step fills: they lose what they would have told, in units of what the others tell of their column, and
// numbers are off by bias, in half-widths of a column, where a cell is filled.
func fills(st stage.Stage, columns ColumnSet, lost, bias float64, out *Reference) {
	units := domain.UnitsOf(st.In)
	missing := 0
	for _, u := range units {
		if u.Missing && (len(columns) == 0 || slices.Contains(columns, u.Name)) {
			missing++
		}
	}
	share := float64(missing) / float64(max(len(units), 1))
	out.lose(share * referenceMissing * lost)
	out.Bias = math.Hypot(out.Bias, math.Sqrt(share)*referenceMissing*bias)
}

// A cell that is missing is lost to a model whatever stands there: 1. What stands there off its column's mean is noise besides, by the square
// of its distance over the variance.
func lostOff(distance float64) float64 {
	return 1 + distance*distance/(referenceSpread*referenceSpread)
}

func (c MidpointImpute) worth(st stage.Stage, _ float64, _ Reference, out *Reference) {
	lost := lostOff(referenceOffset)
	if indicated(st, c.Columns) {
		lost = 1 // the indicator's coefficient moves the midpoint to where it is best
	}
	fills(st, c.Columns, lost, referenceOffset, out)
}

// indicated reports whether each column that is filled has an indicator beside it.
func indicated(st stage.Stage, columns ColumnSet) bool {
	for _, u := range domain.UnitsOf(st.In) {
		if !u.Missing || len(columns) > 0 && !slices.Contains(columns, u.Name) {
			continue
		}
		if _, ok := st.In.Column(u.Name + isMissing); !ok {
			return false
		}
	}
	return true
}

func (c FixedImpute) worth(st stage.Stage, _ float64, _ Reference, out *Reference) {
	fills(st, c.Columns, 1, 0, out) // numbers that the caller knows: those of other data
}

func (m MeanImpute) worth(st stage.Stage, _ float64, _ Reference, out *Reference) {
	fills(st, m.Columns, 1, 0, out)
}

func (m MedianImpute) worth(st stage.Stage, _ float64, _ Reference, out *Reference) {
	fills(st, m.Columns, 1, 0, out)
}

func (m TrimmedImpute) worth(st stage.Stage, _ float64, _ Reference, out *Reference) {
	fills(st, m.Columns, 1, 0, out)
}

// Half of a column's variance is linear in the others, as of the label.
func (r RidgeImpute) worth(st stage.Stage, _ float64, _ Reference, out *Reference) {
	fills(st, r.Columns, 1./2, 0, out)
}

// A released mean is clamped to its column.
func (m PrivateMeanImpute) worth(st stage.Stage, mu float64, _ Reference, out *Reference) {
	off := min(m.errorAt(st, mu, m.Share), 1)
	lost := lostOff(off)
	if indicated(st, m.Columns) {
		lost = 1
	}
	fills(st, m.Columns, lost, off, out)
}

func (s Standardize) worth(st stage.Stage, _ float64, r Reference, out *Reference) {
	s.spreads(st, 0, r, out)
}

// worth: noise on a mean square is as much more of it.
func (s PrivateScale) worth(st stage.Stage, mu float64, r Reference, out *Reference) {
	list, err := s.Expenses(st)
	if err != nil || len(list) == 0 || !(mu > 0) {
		out.lose(1)
		return
	}
	s.spreads(st, list[0].Query.Sensitivity/(mu*float64(st.Before.N)*math.Sqrt(list[0].Share)), r, out)
}

// spreads are those behind columns that are divided by their spread, whose square is off by so much.
func (s Standardize) spreads(st stage.Stage, off float64, r Reference, out *Reference) {
	cols, sc, clip := s.plan(st)
	out.keepSpread(r)
	cells := r.cells(st.In)
	for _, u := range domain.UnitsOf(st.In) {
		var square float64 // of the unit
		written := false
		for j := u.At; j < u.At+u.Len; j++ {
			name := st.In.Features()[j].Name
			sd := cells[name]
			if at := slices.Index(cols.at, j); at >= 0 {
				written = true
				of := sd * sd
				if !sc.centred {
					of += square0(u) / float64(u.Len)
				}
				sd *= sc.gain / max(math.Sqrt(of+off), sc.floor)
			}
			square += sd * sd
			if out.has(name) {
				out.spread[name] = sd
			}
		}
		if written && out.has(u.Name) {
			out.spread[u.Name] = math.Sqrt(square)
		}
	}
	out.within(clip)
}

// square0 is the square of a unit's mean: about 0.
func square0(u domain.Unit) float64 {
	if u.Block {
		return u.Hi * u.Hi / 2
	}
	m := math.Abs(u.Lo+u.Hi)/2 + referenceOffset*halfWidth(u)
	return m * m
}

// within shortens rows that are on average longer than a ball: twice their variance, as the mean is off by as much.
func (r *Reference) within(radius float64) {
	if size := math.Sqrt(2 * r.variance()); size > radius {
		r.shrink(radius / size)
	}
}

func (c ClipNorm) worth(_ stage.Stage, _ float64, _ Reference, out *Reference) { out.within(c.R) }

func (Centering) worth(_ stage.Stage, _ float64, r Reference, out *Reference) { out.keepSpread(r) }

// The largest of many values is at three quarters of the column's bounds: the mean and two standard deviations. In a block it is the height.
func (m MaxAbs) worth(st stage.Stage, _ float64, r Reference, out *Reference) {
	cells := r.cells(st.In)
	for _, u := range domain.UnitsOf(st.In) {
		largest := u.Hi
		if !u.Block {
			largest = math.Abs(u.Lo+u.Hi)/2 + (referenceOffset+2*referenceSpread)*halfWidth(u)
		}
		for j := u.At; j < u.At+u.Len; j++ {
			if name := st.In.Features()[j].Name; out.has(name) {
				out.spread[name] = cells[name] / max(largest, m.Floor)
			}
		}
	}
}

func (s SoftSelection) worth(st stage.Stage, _ float64, r Reference, out *Reference) {
	lambda := s.Lambda * st.Before.R * st.Before.R
	out.keepSpread(r)
	for _, u := range domain.UnitsOf(st.In) {
		sd := r.spread[u.Name]
		// Every column of a block has its part.
		square := (sd*sd + square0(u)) / float64(u.Len)
		if out.has(u.Name) {
			out.spread[u.Name] = sd * max(1-math.Sqrt(lambda/square), 0)
		}
	}
}

// A number that is not made for the label tells half of what the levels do.
func (e FrequencyEncode) worth(st stage.Stage, _ float64, _ Reference, out *Reference) {
	out.lose(float64(len(e.Columns)) / float64(2*max(len(domain.UnitsOf(st.In)), 1)))
}

// spectrum are shares of the variance and of the signal in d directions, falling or even.
func (r Reference) spectrum(d int) []float64 {
	shares := make([]float64, d)
	decay := 1.5
	if r.Even {
		decay = 0
	}
	var sum float64
	for j := range shares {
		shares[j] = math.Pow(float64(j+1), -decay)
		sum += shares[j]
	}
	for j := range shares {
		shares[j] /= sum
	}
	return shares
}

// filtered is the population behind a filter f of second moments. What a direction shrinks by is lost to prediction, which reads rows that
// were not filtered, as the square of a ridge's.
func (s SpectralFit) filtered(st stage.Stage, r Reference, out *Reference) {
	f := s.Filter.Constants(st.Before.R).f
	variance := r.variance()
	var kept, lost float64
	for _, share := range r.spectrum(st.In.Width()) {
		by := f(variance * share)
		kept += share * by * by
		lost += share * (1 - by) * (1 - by)
	}
	out.lose(lost)
	out.even(variance * kept)
}

func (s Spectral) worth(st stage.Stage, _ float64, r Reference, out *Reference) {
	s.filtered(st, r, out)
}

func (s CentredSpectral) worth(st stage.Stage, _ float64, r Reference, out *Reference) {
	s.filtered(st, r, out)
}

// projected loses the signal outside k directions and that of the mean. Noise of size off in operator norm leaves of directions of smaller
// variance what as many random ones would have.
func projected(st stage.Stage, k int, off float64, r Reference, out *Reference) {
	d, variance := st.In.Width(), r.variance()
	shares, kept, found := r.spectrum(d), 0.0, 0
	for k--; found < k && variance*shares[found] > off; found++ {
		kept += shares[found]
	}
	if found < k {
		kept += (1 - kept) * float64(k-found) / float64(d-found)
	}
	out.lose(1 - kept)
	out.even(variance * kept)
}

func (h Projector) worth(st stage.Stage, _ float64, r Reference, out *Reference) {
	projected(st, h.K, 0, r, out)
}

// worth: rows become coordinates, of as equal spread as mechanisms expect of columns.
func (c PrivatePCA) worth(st stage.Stage, mu float64, r Reference, out *Reference) {
	list, err := c.Expenses(st)
	if err != nil || !(mu > 0) {
		out.lose(1)
		return
	}
	projected(st, c.K, c.offAt(list, st, mu), r, out)
}

// offAt is by how much the released second moment is off in operator norm: noise of standard deviation sd on the entries off the diagonal
// moves it by about 2·sd·√d/√2 (the edge of the semicircle).
func (c PrivatePCA) offAt(list []query.Expense, st stage.Stage, mu float64) float64 {
	d := float64(st.In.Width())
	return math.Sqrt2 * math.Sqrt(d) * list[0].Query.Sensitivity / (mu * float64(st.Before.N) * math.Sqrt(c.Share))
}
