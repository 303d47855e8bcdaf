package gradient

import (
	"fmt"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestBallIsLargerWhereNothingPaysForIt: a default ball is larger where rows are as they were read and noise is small, and nowhere else; a
// larger one has the same noise.
func TestBallIsLargerWhereNothingPaysForIt(t *testing.T) {
	cols := []frames.Column{frames.Label("y", "no", "yes")}
	for j := range 40 {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -1, 1))
	}
	in := must(frames.NewSchema(cols...))
	for _, c := range []struct {
		name      string
		n         int
		displaced bool
		how       ByGradient
		want      bool // a larger ball than 24
	}{
		{"many rows", 50000, false, ByGradient{}, true},
		{"few rows", 300, false, ByGradient{}, false},
		{"displaced", 50000, true, ByGradient{}, false},
		{"asked", 50000, false, ByGradient{MaxNorm: 24}, false},
		{"a step that was asked for", 50000, false, ByGradient{StepSize: 3}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := stage.Stage{In: in, Out: in, Before: must(pair.Start(c.n, 1, accountant.AddRemove))}
			if c.displaced {
				st.Before.M, st.Before.T1, st.Before.TF, st.Before.TInf = c.n-1, 0.5, 0.5, 0.5
				st.Taint = stage.Taint{"x0": true}
			}
			c.how.Epsilon, c.how.Delta = 1, 1e-6
			got := must(LogisticFit{c.how}.Calibrate(st))
			if larger := got.W > 24*(1+1e-9); larger != c.want || got.W > 96*(1+1e-9) {
				t.Errorf("W = %g", got.W)
			}
			general := must(GradientFit{LogLoss{}, c.how}.Calibrate(st))
			if general.W != got.W || general.Sigma != got.Sigma {
				t.Errorf("FitConvex: W = %g and σ = %g, FitLogistic %g and %g", general.W, general.Sigma, got.W, got.Sigma)
			}
			c.how.MaxNorm = 24
			if was := must(LogisticFit{c.how}.Calibrate(st)); was.Sigma != got.Sigma || was.S != got.S {
				t.Errorf("σ = %g, within 24 %g", got.Sigma, was.Sigma)
			}
		})
	}
}
