package steps

import (
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Whereabouts are intervals in which rows are thought to be, by column: those that a chain clamps them to. A comparison of bounds takes the
// population from there for all ways, since the rows are the same whatever they are clamped to.
type Whereabouts map[string][2]float64

// WhereaboutsOf are those of the first step that clamps each column. What comes out of private bounds is where the rows are guessed.
func WhereaboutsOf(steps []stage.Preprocessor) Whereabouts {
	where := Whereabouts{}
	at := func(name string, lo, hi float64) {
		if _, there := where[name]; !there && lo < hi {
			where[name] = [2]float64{lo, hi}
		}
	}
	for _, s := range steps {
		switch s := s.(type) {
		case ClipColumns:
			for _, name := range s.Columns {
				at(name, s.Lo, s.Hi)
			}
		case PublicWinsor:
			for i, name := range s.Columns {
				if i < len(s.Lo) && i < len(s.Hi) {
					at(name, s.Lo[i], s.Hi[i])
				}
			}
		case PrivateWinsor:
			for _, name := range s.Columns {
				at(name, s.GuessLo, s.GuessHi)
			}
		}
	}
	return where
}

// NewReferenceIn is the population of a table whose rows are in these intervals of columns.
func NewReferenceIn(in frames.Schema, where Whereabouts) Reference {
	r := Reference{spread: map[string]float64{}, where: where}
	for _, u := range domain.UnitsOf(in) {
		r.spread[u.Name] = spreadOf(u)
		if half, ok := r.half(u); ok {
			r.spread[u.Name] = referenceSpread * half
		}
	}
	return r
}

// half is half the width of the interval in which a unit's rows are; ok is false where they fill its bounds.
func (r Reference) half(u domain.Unit) (half float64, ok bool) {
	w, ok := r.where[u.Name]
	if u.Block || !ok {
		return 0, false
	}
	lo, hi := num.Clamp(w[0], u.Lo, u.Hi), num.Clamp(w[1], u.Lo, u.Hi)
	return (hi - lo) / 2, lo < hi
}

// stay leaves the rows where they are behind a step that clamps columns around them.
func (r Reference) stay(step stage.Preprocessor, st stage.Stage, out *Reference) {
	switch step.(type) {
	case ClipColumns, PublicWinsor, PrivateWinsor:
	default:
		return
	}
	for _, u := range domain.UnitsOf(st.Out) {
		if half, ok := out.half(u); ok {
			out.spread[u.Name] = referenceSpread * half
			if sd, there := r.spread[u.Name]; there && sd > 0 && !math.IsInf(sd, 1) {
				out.spread[u.Name] = min(out.spread[u.Name], sd)
			}
		}
	}
}

// Wider says by how much the bounds of the columns that numbers are named by are wider than where the rows are.
func (r Reference) Wider(in frames.Schema, names []string) []float64 {
	if len(r.where) == 0 {
		return nil
	}
	units := domain.UnitsOf(in)
	out := slices.Repeat([]float64{1}, len(names))
	for i, name := range names {
		for _, u := range units {
			of := name == u.Name || strings.HasSuffix(name, ": "+u.Name)
			if sd := r.spread[u.Name]; of && !u.Block && r.where[u.Name] != [2]float64{} && sd > 0 {
				out[i] = max(1, referenceSpread*halfWidth(u)/sd)
			}
		}
	}
	return out
}
