package preprocessing

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/notebooks/studies/preprocessing/printed"
)

// TestAttacks: what the notebook calls false is refuted, what it calls true is not, and the corrected bounds hold.
func TestAttacks(t *testing.T) {
	all, err := Attacks()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if holds := a.Claim == "Δ₂ of PCA, x ↦ AAᵀx (Prop. 5), k = 1"; a.Broken() == holds {
			t.Errorf("%s: printed %g, observed %g", a.Claim, a.Printed, a.Observed)
		}
		if !math.IsNaN(a.Ours) && !(a.Observed <= a.Ours*(1+1e-9)) {
			t.Errorf("%s: observed %g, above our %g", a.Claim, a.Observed, a.Ours)
		}
	}
	// Numbers of the counterexamples in docs/errata.md.
	for claim, want := range map[string][2]float64{
		"Δ∞ of deduplication (Prop. 3): 2·max|B| on a line":    {20, 36},
		"Δ∞ of deduplication (Prop. 3): 2·max|B| in the plane": {20, 90},
		"Δ∞ of deduplication (Prop. 3): 2·max|B| in space":     {20, 216},
		"mean (Cor. 4): 2/(n − p)":                             {0.02041, 0.02439},
		"regression, eigenvalues of the regressors":            {0.201, 0.905},
		"Δ₂ of scaling (Prop. 6): 2/(nσ³) + 2/(nσ)":            {0.2826, 0.5394},
		"M_G behind scaling: 1.05(1 + 4/σ³)":                   {33602, 281385},
		"Δ₂ of PCA, x ↦ Aᵀx (Prop. 5), k = 3":                  {0.121, 0.765},
		"Δ₂ of PCA, x ↦ AAᵀx (Prop. 5), k = 1":                 {2.43, 0.171052},
		"SGD-samp, Theorem 14: α²ε²/2 at α = 2":                {1, 3.9997 / 2},
		"SGD-samp, Theorem 14: α²ε²/2 at α = 3":                {1.5, 5.9995 / 3},
		"SGD-iter, Lemma 4: 2ατ²μ²/(σ²κ), κ = 50 rows moved":   {0.04, 0.5},
		"DP-GD, Theorem 13: αε²/2":                             {0.5, 2},
		"Δ₂ of quantization (Prop. 3): η, η = 0.05":            {0.05, 0.0866},
		"trimmed mean: (x_(m) − x_(n−m))/(n − 2m − p)":         {-1. / 3, 0.5},
		"median: x_((n+1)/2) − x_(n/2)":                        {0, 0.5},
		"M_G behind mean imputation":                           {2.1, 2.3825},
		"M_G behind quantization in the plane":                 {1.9005, 12.5},
		"M_G behind deduplication in space":                    {106.05, 4092.4},
	} {
		found := false
		for _, a := range all {
			if a.Claim == claim {
				found = true
				if math.Abs(a.Printed-want[0]) > 4e-3*math.Abs(want[0]) || math.Abs(a.Observed-want[1]) > 4e-3*want[1] {
					t.Errorf("%s: printed %g, observed %g, want %g, %g", claim, a.Printed, a.Observed, want[0], want[1])
				}
			}
		}
		if !found {
			t.Errorf("no attack on %q", claim)
		}
	}
}

// TestPrintedNoise: the factor is that of the library's table.
func TestPrintedNoise(t *testing.T) {
	for _, gap := range []float64{0.02, 0.15} {
		s := printed.Setting{Order: 11, Epsilon: 0.1, Rows: 1000, Columns: 2, Cluster: 1, Eta: 0.1, Missing: 1, Gap: gap, Std: 0.5}
		table, err := printed.Table2(s)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := table.Cell(printed.GD, printed.PCA)
		if want := math.Sqrt(c.Printed.Value() / (2 * 11 * 0.01)); math.Abs(PrintedNoise(gap)/want-1) > 1e-12 {
			t.Errorf("gap %g: noise × %g, want %g", gap, PrintedNoise(gap), want)
		}
	}
	if BestGap(50) != 0.02 {
		t.Errorf("largest gap %g", BestGap(50))
	}
}

// TestRows: rows lie in the ball and have about the rank, their directions are those of the second moment, and projections do not
// lengthen them.
func TestRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, columns := range []int{12, 90} { // fewer than rows, and more
		const n, rank = 60, 5
		r := newPopulation(rng, rank, columns).draw(rng, n).clip(1)
		ones := 0.0
		for i, x := range r.x {
			if norm(x) > 1+1e-12 {
				t.Errorf("a row has the norm %g", norm(x))
			}
			ones += r.y[i]
		}
		if ones < 0.3*n || ones > 0.7*n {
			t.Errorf("%g of %d rows in class 1", ones, n)
		}
		values, v, err := r.components(rank)
		if err != nil {
			t.Fatal(err)
		}
		if !(values[rank-1] > 3*values[rank]) {
			t.Errorf("%d columns: eigenvalues %v are not of about rank %d", columns, values[:rank+2], rank)
		}
		x := r.matrix()
		var gram, second, left mat.Dense
		gram.Mul(v.T(), v)
		second.Mul(x.T(), x)
		left.Mul(&second, v)
		for i := range rank {
			for j := range rank {
				if want := map[bool]float64{true: 1}[i == j]; math.Abs(gram.At(i, j)-want) > 1e-9 {
					t.Errorf("directions %d, %d: product %g", i, j, gram.At(i, j))
				}
			}
			for a := range columns { // XᵀXv = nλv
				if want := n * values[rank-1-i] * v.At(a, i); math.Abs(left.At(a, i)-want) > 1e-9 {
					t.Errorf("direction %d is none of the second moment: %g, want %g", i, left.At(a, i), want)
				}
			}
		}
		for i, y := range r.project(v).x {
			if norm(y) > norm(r.x[i])+1e-12 || norm(y) < 0.5*norm(r.x[i]) {
				t.Errorf("a row of norm %g is projected to %g", norm(r.x[i]), norm(y))
			}
		}
		for i, x := range r.clip(0.1).x {
			if math.Abs(norm(x)-min(0.1, norm(r.x[i]))) > 1e-12 {
				t.Errorf("clipped to %g", norm(x))
			}
		}
	}
}

// TestStored: the stored results are those of the full setting, and what the notebook says of them is true.
func TestStored(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	full, _ := json.Marshal(Full())
	if got, _ := json.Marshal(r.Settings); string(got) != string(full) {
		t.Errorf("stored settings %s, want %s", got, full)
	}
	s := r.Settings
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"narrow", len(r.Narrow.Cells), len(Methods) * len(s.Epsilons)},
		{"narrow, no ball", len(r.Narrow.NoBall), len(WithoutBall) * len(s.Epsilons)},
		{"wide", len(r.Wide.Cells), len(Unpriced) * len(s.Epsilons)},
		{"wide, no ball", len(r.Wide.NoBall), len(Unpriced) * len(s.Epsilons)},
		{"Table 4", len(r.Table4), 6 * len(s.Clips)},
	} {
		if c.got != c.want {
			t.Fatalf("%s: %d cells, want %d", c.name, c.got, c.want)
		}
	}
	for _, set := range []Set{r.Narrow, r.Wide} {
		if gap := set.Gap(s.Rank); !(gap > 1e-4) || !(gap < BestGap(s.Rank)/10) {
			t.Errorf("%d columns: gap %g", set.Columns, gap)
		}
		for _, eps := range s.Epsilons {
			free, _ := Find(set.Cells, Uncounted, 0, eps)
			plain, _ := Find(set.Cells, NoStep, 0, eps)
			if !(math.Abs(free.Excess-plain.Excess) <= 0.005) || !(plain.Excess > 0) {
				t.Errorf("%d columns, ε = %g: PCA for nothing has the excess %g, none %g", set.Columns, eps, free.Excess, plain.Excess)
			}
			// Inside the ball coordinates are ahead, in loss by far, in accuracy by a few rows in a hundred at most.
			few, _ := Find(set.Cells, Coordinates, 0, eps)
			if !(few.Excess < plain.Excess-0.04) || !(few.Excess > 0) || !(math.Abs(few.Right-plain.Right) <= 0.03) {
				t.Errorf("%d columns, ε = %g: coordinates %+v, no preprocessing %+v", set.Columns, eps, few, plain)
			}
			// Without it none of the three is, and no preprocessing has what only coordinates had.
			far, _ := Find(set.NoBall, NoStep, 0, eps)
			for _, m := range []string{Uncounted, Coordinates} {
				c, ok := Find(set.NoBall, m, 0, eps)
				if tolerance := 4 * math.Hypot(c.ExcessSE, far.ExcessSE); !ok || !(math.Abs(c.Excess-far.Excess) <= tolerance) {
					t.Errorf("%d columns, ε = %g, no ball: %s %+v, no preprocessing %+v", set.Columns, eps, m, c, far)
				}
			}
			if !(far.Excess < plain.Excess-0.04) || !(far.Excess > 0) || !(math.Abs(far.Right-plain.Right) <= 0.03) {
				t.Errorf("%d columns, ε = %g: without the ball %+v, inside it %+v", set.Columns, eps, far, plain)
			}
		}
	}
	for _, eps := range s.Epsilons {
		plain, _ := Find(r.Narrow.Cells, NoStep, 0, eps)
		far, _ := Find(r.Narrow.NoBall, NoStep, 0, eps)
		if c, ok := Find(r.Narrow.NoBall, PrivatePCA, 0, eps); !ok || !(c.Excess > far.Excess+0.05) || !(c.Right < far.Right-0.01) {
			t.Errorf("no ball, ε = %g: private PCA %+v is not behind no preprocessing, %+v", eps, c, far)
		}
		for _, m := range []string{Soft, Hard, Printed, PrintedCoordinates, PrivatePCA} {
			c, ok := Find(r.Narrow.Cells, m, 0, eps)
			if !ok || !(c.Excess > plain.Excess+0.01) && eps < 10 || !(c.Right < plain.Right-0.01) {
				t.Errorf("%s, ε = %g: %+v is not behind no preprocessing, %+v", m, eps, c, plain)
			}
			if m != PrivatePCA && !(c.Right < 0.65) {
				t.Errorf("%s, ε = %g: accuracy %g, want that of a guess", m, eps, c.Right)
			}
		}
	}
	for _, c := range r.Table4 {
		if !(c.Right > 0.8) || !(c.Right < 0.96) {
			t.Errorf("Table 4: %+v", c)
		}
	}
}

// TestSimulatedAgreesWithStored makes the first releases of some cells again: their draws are the stored ones.
func TestSimulatedAgreesWithStored(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	s := r.Settings
	s.Releases = 2
	rng := rand.New(rand.NewPCG(s.Seed, 4))
	st := study{Settings: s, raw: newPopulation(rng, s.Rank, s.Columns).draw(rng, s.Rows).clip(1), set: r.Narrow}
	_, v, err := st.raw.components(s.Rank)
	if err != nil {
		t.Fatal(err)
	}
	st.directions = v
	for _, cell := range []struct {
		method string
		noBall float64
		stored []Cell
	}{
		{Uncounted, 0, r.Narrow.Cells},
		{NoStep, 0, r.Narrow.Cells},
		{Coordinates, 0, r.Narrow.Cells},
		{Printed, 0, r.Narrow.Cells},
		{PrintedCoordinates, 0, r.Narrow.Cells},
		{NoStep, s.NoBall, r.Narrow.NoBall},
		{Coordinates, s.NoBall, r.Narrow.NoBall},
	} {
		c, err := st.measure(t.Context(), Cell{Method: cell.method, Epsilon: 1, MaxNorm: cell.noBall})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := Find(cell.stored, cell.method, 0, 1)
		if math.Abs(c.Noise/want.Noise-1) > 1e-4 || c.Scope != want.Scope || c.MaxNorm != want.MaxNorm {
			t.Errorf("%s: noise × %g, %s, W = %g, stored %g, %s, %g", cell.method, c.Noise, c.Scope, c.MaxNorm, want.Noise, want.Scope, want.MaxNorm)
		}
		// Two of the stored releases: on one machine the same draws, without chance. 6.5 standard errors of the smaller mean.
		if tolerance := 6.5 * want.ExcessSE * math.Sqrt(float64(r.Settings.Releases)/2); math.Abs(c.Excess-want.Excess) > tolerance {
			t.Errorf("%s, W = %g: excess %g, stored %g ± %g", cell.method, c.MaxNorm, c.Excess, want.Excess, want.ExcessSE)
		}
		if cell.noBall == 0 {
			continue
		}
		// No descent reaches the ball that stands for none: one of a tenth of the radius changes nothing.
		near, err := st.measure(t.Context(), Cell{Method: cell.method, Epsilon: 1, MaxNorm: cell.noBall / 10})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(near.Excess/c.Excess-1) > 1e-3 {
			t.Errorf("%s: excess %g for W = %g, %g for a tenth: the ball is reached", cell.method, c.Excess, c.MaxNorm, near.Excess)
		}
	}
}
