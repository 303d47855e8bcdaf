package dpkit

import (
	"errors"
	"math"
	"testing"
)

func TestResponse(t *testing.T) {
	const R = 2.0 // so that thresholds are 4 times their parameters
	for _, c := range []struct {
		filter  SpectralFilter
		a, want float64
	}{
		{SoftThreshold{Lambda: 0.01}, 0.04, 0},
		{SoftThreshold{Lambda: 0.01}, 0.16, 0.5},
		{Tikhonov{Lambda: 0.01}, 0.04, 0.5},
		{Tikhonov{Lambda: 0.01, Centered: true}, 0, 0},
		{Ramp{Start: 0.01, Width: 0.01}, 0.06, 0.5},
		{Ramp{Start: 0.01, Width: 0.01}, 1, 1},
	} {
		f, err := Response(c.filter, R)
		if err != nil {
			t.Fatal(err)
		}
		if got := f(c.a); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v at %v: got %v, want %v", c.filter, c.a, got, c.want)
		}
	}
	for _, c := range []struct {
		filter SpectralFilter
		R      float64
	}{{nil, 1}, {Tikhonov{}, 1}, {Ramp{Width: 2}, 1}, {Tikhonov{Lambda: 0.1}, 0}, {Tikhonov{Lambda: 0.1}, math.NaN()}, {Tikhonov{Lambda: 0.1}, math.Inf(1)}} {
		if _, err := Response(c.filter, c.R); !errors.Is(err, ErrParameter) {
			t.Errorf("%v, R = %v: got %v", c.filter, c.R, err)
		}
	}
}
