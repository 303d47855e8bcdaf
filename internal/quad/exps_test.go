package quad

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/cpu"
)

// TestExps: vectors have the bits of package math, for numbers of all sizes, in any company and number.
func TestExps(t *testing.T) {
	t.Parallel()
	if cpu.Detect() >= cpu.AVX2 && !inVectors && !strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		t.Error("the vectors do not have the bits of package math: compare with its code in this version of Go")
	}
	rng := rand.New(rand.NewPCG(5, 3))
	special := []float64{
		0, math.Copysign(0, -1), 1, -1, 700, -700, 709.78, 710, -745, -746, -708.4, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64,
		math.MaxFloat64, -0x1p-54, -0x1p-53, -0x1p-55, -38, -38.9, -39, 1e-300, -1e-300,
	}
	for k := range 60 { // where k changes in the reduction of arguments
		x := -(float64(k) + 0.5) * math.Ln2
		special = append(special, x, math.Nextafter(x, 0), math.Nextafter(x, -1e9), -x)
	}
	for _, f := range []struct {
		name string
		all  func([]float64)
		one  func(float64) float64
	}{{"Exps", Exps, math.Exp}, {"Expm1s", Expm1s, math.Expm1}} {
		for i := range 10000 {
			x := make([]float64, 1+i%13)
			for j := range x {
				switch rng.IntN(20) {
				case 0:
					x[j] = special[rng.IntN(len(special))]
				case 1:
					x[j] = math.Float64frombits(rng.Uint64())
				case 2, 3, 4:
					x[j] = rng.NormFloat64() * 200
				case 5, 6, 7:
					x[j] = -math.Exp(-40 * rng.Float64())
				default:
					x[j] = -40 * rng.Float64()
				}
			}
			got := slices.Clone(x)
			f.all(got)
			for j, v := range x {
				if want := f.one(v); math.Float64bits(got[j]) != math.Float64bits(want) && !(math.IsNaN(got[j]) && math.IsNaN(want)) {
					t.Fatalf("%s of %v, at %d: got %v, want %v", f.name, x, j, got[j], want)
				}
			}
		}
	}
}

func BenchmarkExps(b *testing.B) {
	var x, y [40]float64
	for i := range x {
		x[i] = -float64(i)
	}
	b.Run("exp", func(b *testing.B) {
		for b.Loop() {
			y = x
			Exps(y[:])
		}
	})
	b.Run("expm1", func(b *testing.B) {
		for b.Loop() {
			y = x
			Expm1s(y[:])
		}
	})
}
