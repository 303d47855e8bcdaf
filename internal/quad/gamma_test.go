package quad

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

func TestChiSquareGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/chi_square.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		ChiSquare []struct {
			K             int
			W             float64
			LogSF, LogCDF string
		} `json:"chi_square"`
		XMinusLog1p []struct {
			X     float64
			Value string
		} `json:"x_minus_log1p"`
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.ChiSquare) < 100 || len(g.XMinusLog1p) < 20 {
		t.Fatalf("testdata/chi_square.json has %d and %d entries", len(g.ChiSquare), len(g.XMinusLog1p))
	}
	worst := 0.0
	check := func(what string, k int, w, got float64, want string) {
		t.Helper()
		v, err := strconv.ParseFloat(want, 64)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v) < 1e-300 {
			return // the logarithm of a probability that is one
		}
		// The relative error of a probability is the absolute one of its logarithm.
		diff := math.Abs(got-v) / (1 + math.Abs(v))
		if math.Abs(v) < 0.5 { // minus the other tail
			diff = math.Abs(got/v-1) / (1 - math.Log(math.Abs(v)))
		}
		worst = max(worst, diff)
		if !(diff <= 3e-15) {
			t.Errorf("%s(%g; %d) = %.17g, want %s: error %.2g", what, w, k, got, want, diff)
		}
	}
	for _, e := range g.ChiSquare {
		check("LogChiSquareSF", e.K, e.W, LogChiSquareSF(e.W, e.K), e.LogSF)
		check("LogChiSquareCDF", e.K, e.W, LogChiSquareCDF(e.W, e.K), e.LogCDF)
	}
	t.Logf("worst error of a χ² tail: %.2g", worst)
	for _, e := range g.XMinusLog1p {
		checkRel(t, "XMinusLog1p", e.X, XMinusLog1p(e.X), e.Value, 1e-15)
	}
}

// TestChiSquareAgrees: another implementation, over a grid of arguments.
func TestChiSquareAgrees(t *testing.T) {
	for _, k := range []int{1, 2, 3, 7, 40, 300, 20000} {
		for z := -8.0; z <= 8; z += 0.37 {
			w := float64(k) + z*math.Sqrt(2*float64(k))
			if w <= 0 {
				continue
			}
			up, down := math.Exp(LogChiSquareSF(w, k)), math.Exp(LogChiSquareCDF(w, k))
			if math.Abs(up+down-1) > 1e-13 {
				t.Errorf("k = %d, w = %g: tails sum to %.17g", k, w, up+down)
			}
			if ref := mathext.GammaIncRegComp(float64(k)/2, w/2); math.Abs(up-ref) > 1e-9*ref+1e-13 {
				t.Errorf("k = %d, w = %g: upper tail %.17g, gonum has %.17g", k, w, up, ref)
			}
		}
	}
}

func TestChiSquareEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"SF at 0", LogChiSquareSF(0, 3), 0},
		{"SF below", LogChiSquareSF(-1, 3), 0},
		{"SF at infinity", LogChiSquareSF(inf, 3), -inf},
		{"CDF at 0", LogChiSquareCDF(0, 3), -inf},
		{"CDF below", LogChiSquareCDF(-1, 3), -inf},
		{"CDF at infinity", LogChiSquareCDF(inf, 3), 0},
		{"density of two degrees at 0", LogChiPDF(0, 2), -inf},
		{"no degrees", LogChiSquareSF(1, 0), nan},
		{"NaN", LogChiSquareCDF(nan, 1), nan},
		{"density of NaN", LogChiPDF(nan, 4), nan},
		{"density below", LogChiPDF(-1, 4), nan},
	} {
		if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
			t.Errorf("%s: got %g, want %g", c.name, c.got, c.want)
		}
	}
}

// TestAdaptiveAbs: noise far below the whole is not refined.
func TestAdaptiveAbs(t *testing.T) {
	calls := 0
	noisy := func(x float64) float64 {
		calls++
		return 1e-30 * (1.5 + math.Sin(1e9*x*x))
	}
	value, err := AdaptiveAbs(noisy, 0, 4, 1e-13, 1e-20)
	if calls > 200 || math.Abs(value-6e-30) > 5e-30 || !(err < 1e-20) {
		t.Errorf("got %g ± %g after %d calls, want about 6e-30 after one panel", value, err, calls)
	}
}

func TestAdaptive(t *testing.T) {
	for _, c := range []struct {
		name   string
		f      func(float64) float64
		lo, hi float64
		want   float64
	}{
		{"polynomial", func(x float64) float64 { return x * x }, 0, 3, 9},
		{"kink", func(x float64) float64 { return math.Abs(x - 0.7) }, 0, 3, (0.49 + 2.3*2.3) / 2},
		{"peak", func(x float64) float64 { return math.Exp(-x * x * 5e5) }, -1, 2, math.Sqrt(math.Pi / 5e5)},
		{"root", math.Sqrt, 0, 1, 2. / 3},
		{"zero", func(float64) float64 { return 0 }, 0, 1, 0},
	} {
		v, e := Adaptive(c.f, c.lo, c.hi, 1e-15)
		if !(math.Abs(v-c.want) <= e+1e-14*c.want) || e > 1e-10*c.want {
			t.Errorf("%s: got %.17g ± %.2g, want %.17g", c.name, v, e, c.want)
		}
	}
}

func BenchmarkLogChiSquareSF(b *testing.B) {
	for b.Loop() {
		LogChiSquareSF(500, 300)
	}
}
