package mixing

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSheffetCalibration: line 2 of Algorithms 4 and 5 at C² = 2.
func TestSheffetCalibration(t *testing.T) {
	a, err := CalibrateSheffet(1, 1e-6, 50, false)
	if err != nil {
		t.Fatal(err)
	}
	// ln(8/δ) = 15.894952: 8·(√(100·15.894952) + 2·15.894952)
	if math.Abs(a.Gamma/573.2680-1) > 1e-5 || a.Test != 8 || math.Abs(a.Distance-8*math.Log(1e6)) > 1e-9 {
		t.Errorf("Algorithm 4: got %+v", a)
	}
	b, err := CalibrateSheffet(1, 1e-6, 50, true)
	if err != nil {
		t.Fatal(err)
	}
	if eps, err := LemmaOne(b.Gamma/SquareNorm, 50, 1e-6); err != nil || math.Abs(eps-0.5) > 1e-6 {
		t.Errorf("Algorithm 5: γ = %g has ε = %g, %v, want 0.5", b.Gamma, eps, err)
	}
}

// TestSheffetTest: a large smallest eigenvalue is sketched without noise, a small one with it.
func TestSheffetTest(t *testing.T) {
	const d = 3
	for _, c := range []struct{ scale, variance float64 }{{1e4, 0}, {1, 50}} {
		z := mat.NewDense(d+1, d+1, nil)
		for i := range d + 1 {
			z.Set(i, i, math.Sqrt(c.scale))
		}
		z.Set(d, 0, 1)
		m := MomentsOf(z)
		got, err := Sheffet{K: 9, Gamma: 50, Test: 8, Distance: 100}.On(m)(rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		_, _ = rng.ExpFloat64(), rng.ExpFloat64() // the test's noise
		want, err := (&sketch{Moments: m}).draw(9, c.variance, rng)
		if err != nil {
			t.Fatal(err)
		}
		for j := range want {
			if got[j] != want[j] {
				t.Errorf("eigenvalue %g: got %v, want %v with variance %g", m.Smallest, got, want, c.variance)
				break
			}
		}
	}
}

// TestSimulatedSets: the simulated sets are what their descriptions say.
func TestSimulatedSets(t *testing.T) {
	s := Settings{Seed: 3, Rows: 300, Columns: 12}
	for _, src := range sources {
		if src.file != "" {
			continue
		}
		train, test, err := src.load(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(train.y) != 300 || len(test.y) != 75 || len(train.x[0]) != 12 {
			t.Fatalf("%s: %d training rows of %d columns, %d test rows", src.name, len(train.y), len(train.x[0]), len(test.y))
		}
		normalise(train, test, false)
		longest, x := 0.0, mat.NewDense(300, 12, nil)
		for i, row := range train.x {
			longest = max(longest, norm(row))
			x.SetRow(i, row)
			if math.Abs(train.y[i]) > 1 {
				t.Errorf("%s: a label of %g", src.name, train.y[i])
			}
		}
		if math.Abs(longest-1) > 1e-12 {
			t.Errorf("%s: the longest row has norm %g, want 1", src.name, longest)
		}
		var svd mat.SVD
		svd.Factorize(x, mat.SVDNone)
		values := svd.Values(nil)
		if low := values[4] < 1e-12; low != (src.name != "synthetic") {
			t.Errorf("%s: singular values %v", src.name, values)
		}
	}
}

// TestRunSimulated runs everything on a small simulated set, which needs no files.
func TestRunSimulated(t *testing.T) {
	s := Settings{Seed: 1, Large: 3, Slow: 2, Rows: 400, Columns: 8, Linear: []float64{1}, Sets: []string{"gaussian"}}
	r, err := Run(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 1 || len(r.Sets[0].Cells) != 9 {
		t.Fatalf("got %+v", r.Sets)
	}
	for _, c := range r.Sets[0].Cells {
		if !(c.Mean > 0) || math.IsInf(c.Mean, 1) || !(c.Clamped <= c.Mean*(1+1e-9)) {
			t.Errorf("%+v", c)
		}
	}
}

// TestStored: the stored results are those of the full setting, and say what the notebook says of them.
func TestStored(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	full, _ := json.Marshal(Full())
	if got, _ := json.Marshal(r.Settings); string(got) != string(full) {
		t.Errorf("stored settings %s, want %s", got, full)
	}
	if len(r.Sets) != len(sources) {
		t.Fatalf("got %d sets, want %d", len(r.Sets), len(sources))
	}
	for i, s := range r.Sets {
		if src := sources[i]; s.Name != src.name || s.Figure != src.figure || (len(s.SHA256) == 64) != (src.file != "") {
			t.Errorf("set %d: %q", i, s.Name)
		}
		for _, c := range s.Cells {
			if !(c.Mean > 0) || math.IsInf(c.Mean, 1) || !(c.SE >= 0) {
				t.Errorf("%s, %s, ε = %g: %g ± %g", s.Name, c.Method, c.Epsilon, c.Mean, c.SE)
			}
		}
	}
	// Claims of the paper that hold, ours, and one of the paper's that does not.
	for _, c := range [][2]string{{PrintedMixing, PrintedTest}, {LemmaTest, PrintedTest}, {ExactMixing, PrintedMixing}, {ExactAdaSSP, PrintedAdaSSP}, {ExactAdaSSP, PrintedMixing}, {ExactAdaSSP, LemmaTest}} {
		if got := r.Count(c[0], c[1]); got.Second > 0 {
			t.Errorf("%s against %s: %+v, want none worse", c[0], c[1], got)
		}
	}
	for ada, want := range map[string]Count{PrintedAdaSSP: {17, 12, 11}, WangAdaSSP: {11, 12, 17}} {
		if got := r.Count(PrintedMixing, ada); got != want {
			t.Errorf("LinearMixing as printed against %s: %+v, the notebook says %+v", ada, got, want)
		}
	}
}

// TestRunAgreesWithStored runs a small setting on some sets. Its releases are the first of the stored ones: on the same machine
// the means agree to their standard errors without chance, and elsewhere up to rounding.
func TestRunAgreesWithStored(t *testing.T) {
	if os.Getenv("DPNB_DATA") == "" {
		t.Skip("DPNB_DATA is not set: NOTHING WAS MEASURED on the real sets")
	}
	all, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	s := Full()
	s.Releases, s.Sets = 12, []string{"housing", "wine", "bike", "tecator"}
	s.Linear = s.Linear[2:3]
	agree := func(r Results) {
		for _, small := range r.Sets {
			large, ok := all.Set(small.Name)
			if !ok || small.SHA256 != large.SHA256 || small.Train != large.Train || small.Columns != large.Columns || math.Abs(small.Spread-large.Spread) > 1e-12 {
				t.Errorf("%s: another set: %+v", small.Name, small)
			}
			for _, c := range small.Cells {
				want, ok := large.Find(c.Method, c.Epsilon)
				if !ok {
					t.Errorf("%s: %s at ε = %g is not stored", small.Name, c.Method, c.Epsilon)
					continue
				}
				// 12 of 250: the small mean has √(250/12) of the stored standard error. 6.5 of those: 8e-11 each for a normal law.
				if tolerance := 6.5*want.SE*math.Sqrt(float64(want.Releases)/float64(c.Releases)) + 1e-9*want.Mean; math.Abs(c.Mean-want.Mean) > tolerance {
					t.Errorf("%s, %s, ε = %g: %g, stored %g ± %g", small.Name, c.Method, c.Epsilon, c.Mean, want.Mean, want.SE)
				}
			}
		}
	}
	r, err := Run(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	agree(r)
	s.Sets, s.Logistic = []string{"MNIST 3 and 8, 7×7"}, s.Logistic[4:] // the largest, which chooses k
	if r, err = Run(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	for i, m := range r.Sets[0].Cells { // of 12 releases another k may be the best
		if m.Method == PrintedLogistic {
			r.Sets[0].Cells = append(r.Sets[0].Cells[:i], r.Sets[0].Cells[i+1:]...)
			break
		}
	}
	agree(r)
}

func TestRunRefuses(t *testing.T) {
	t.Setenv("DPNB_DATA", "")
	if _, err := Run(t.Context(), Full(), nil); err == nil {
		t.Error("without data: got no error")
	}
	t.Setenv("DPNB_DATA", t.TempDir())
	for _, name := range []string{"iris", "housing", "bike"} {
		if _, err := Run(t.Context(), Settings{Sets: []string{name}}, nil); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
