package dpkit

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// paperPCA is the published bound on a row's displacement, n rows of the unit ball with gap β.
func paperPCA(n, beta float64) float64 { return 4 * (3*n + 2) / (n * (n - 1) * beta) }

// goldenPCA is the constant c of the corrected bounds.
func goldenPCA(t *testing.T, mode string) float64 {
	t.Helper()
	switch mode {
	case "unc":
		return 1
	case "cen":
		return 1.5 * math.Sqrt(3)
	}
	t.Fatalf("unknown mode %q", mode)
	return 0
}

// spectrum returns the eigenvalues and the first k eigenvectors of the second moment of rows, of divisor n, or of
// their covariance, of divisor n − 1.
func spectrum(t *testing.T, table [][]float64, mode string, k int) ([]float64, *mat.Dense) {
	t.Helper()
	d, n := len(table[0]), float64(len(table))
	mean := make([]float64, d)
	if mode == "cen" {
		for _, row := range table {
			for j, x := range row {
				mean[j] += x / n
			}
		}
		n--
	}
	c := &rows.Gram{D: d, Total: make([]float64, d*d)}
	for _, row := range table {
		for i := range d {
			for j := range d {
				c.Total[i*d+j] += (row[i] - mean[i]) * (row[j] - mean[j]) / n
			}
		}
	}
	s := c.Eigen(0)
	return s.Values, mat.DenseCopyOf(mat.NewDense(k, d, s.Vectors[:k*d]).T())
}

func opNorm(m mat.Matrix) float64 {
	var svd mat.SVD
	svd.Factorize(m, mat.SVDNone)
	return svd.Values(nil)[0]
}

func projectorDistance(a, b *mat.Dense) float64 {
	var p, q mat.Dense
	p.Mul(a, a.T())
	q.Mul(b, b.T())
	p.Sub(&p, &q)
	return opNorm(&p)
}

func (g goldenHandlers) pca(t *testing.T, raw json.RawMessage) {
	var group struct {
		Bound string
		Cases []struct {
			A          [][]float64
			Z1, Z2     []float64
			K, N       int
			Mode       string
			Gap1, Gap2 float64
			OpNorm     float64
			Local      float64 `json:"local_bound"`
			Collection float64 `json:"collection_bound"`
			Paper      float64
		}
		Formula []struct {
			N, Beta, D2, Paper float64
			Mode               string
			GapSens            float64 `json:"gap_sens"`
		}
		Reduction *struct {
			Spec     string
			Eigs     []float64
			BestSign float64 `json:"best_sign_displacement"`
			Rank     float64 `json:"rank_displacement"`
			Paper    float64
		} `json:"dim_reduction_counterexample"`
		Chain *struct {
			Bound   string
			Example struct {
				N     int
				Beta  float64
				TauA  float64 `json:"tau_a"`
				Value float64
			}
		}
	}
	golden.Decode(t, raw, &group)
	for _, c := range group.Cases {
		k := goldenPCA(t, c.Mode)
		n := float64(len(c.A) + 1)
		if float64(c.N) != n {
			t.Errorf("n = %d for %g rows", c.N, n)
		}
		l1, v1 := spectrum(t, append(slices.Clone(c.A), c.Z1), c.Mode, c.K)
		l2, v2 := spectrum(t, append(slices.Clone(c.A), c.Z2), c.Mode, c.K)
		gap1, gap2 := l1[c.K-1]-l1[c.K], l2[c.K-1]-l2[c.K]
		mean := make([]float64, len(c.Z1))
		if c.Mode == "cen" {
			for _, row := range c.A {
				for j, x := range row {
					mean[j] += x / (n - 1)
				}
			}
		}
		apart, sum := distance(c.Z1, c.Z2), make([]float64, len(mean))
		for j := range sum {
			sum[j] = c.Z1[j] + c.Z2[j] - 2*mean[j]
		}
		observed := projectorDistance(v1, v2)
		local := apart * num.Norm2(sum) / (n * (gap1 + gap2))
		collection := min(1, k/(n*min(gap1, gap2)))
		g.Near(t, "gap", gap1, c.Gap1)
		g.Near(t, "gap", gap2, c.Gap2)
		g.Near(t, "observed", observed, c.OpNorm)
		g.Near(t, "local bound", local, c.Local)
		g.Near(t, "bound", collection, c.Collection)
		g.Near(t, "the paper's", paperPCA(n, min(gap1, gap2)), c.Paper)
		g.AtMost(t, "observed", observed, local)
		g.AtMost(t, "observed", observed, collection)
	}
	for _, c := range group.Formula {
		k := goldenPCA(t, c.Mode)
		g.Near(t, "the paper's", paperPCA(c.N, c.Beta), c.Paper)
		g.Near(t, "gap sensitivity", 2*k/c.N, c.GapSens)
		start := must(pair.Start(int(c.N), 1, ReplaceOne))
		if c.Mode == "cen" {
			elsewhere(t, "pca.cen") // no step takes a covariance
			continue
		}
		g.Same(t, "Δ₂", steps.HardBounds(start, 1, c.Beta).HInf, c.D2)
		step := steps.Projector{Hard: Hard{K: 1, Gap: Test(c.Beta, Tested{Share: 0.1, Delta: 1e-9})}}
		list, err := step.Expenses(stage.Stage{Before: start})
		if err != nil {
			t.Fatal(err)
		}
		golden.Within(t, "gap sensitivity", list[0].Query.Sensitivity, c.GapSens, 1e-6, 1e-12) // with the eigensolver's rounding
	}
	if c := group.Reduction; c != nil {
		g.reduction(t, c.Spec, c.Eigs, c.BestSign, c.Rank, c.Paper)
	}
	if c := group.Chain; c != nil {
		// The spread of a shift's change of A is 2τ/n, half of which counts for the projector. The step's bound takes
		// the operator norm, 2τ/n, as the table of the calculus does.
		e := c.Example
		p := must(pair.Start(e.N, 1, ReplaceOne))
		p.M, p.TF, p.TInf = e.N-1, e.TauA, e.TauA
		p.T1 = e.TauA / 2
		g.Near(t, "chain", steps.HardBounds(p, 1, e.Beta).HInf, e.Value)
		p.T1 = e.TauA
		if got := steps.HardBounds(p, 1, e.Beta).HInf; !(got >= e.Value) || !(got <= 2*e.Value) {
			t.Errorf("the step's bound is %g, want %g to twice that", got, e.Value)
		}
	}
}

// reduction: coordinates along eigenvectors jump although the projector stays where it is.
func (g goldenHandlers) reduction(t *testing.T, spec string, eigs []float64, bestSign, rank, paper float64) {
	t.Helper()
	c := regexp.MustCompile(`^n=(\d+), ?d=(\d+), ?k=(\d+): (.*?), last row (.+) vs (.+) \(uncentred\)$`).FindStringSubmatch(spec)
	if c == nil {
		t.Fatalf("%q: not understood", spec)
	}
	n, d, k := int(must(evaluate(c[1], nil))), int(must(evaluate(c[2], nil))), int(must(evaluate(c[3], nil)))
	vector := func(formula string) []float64 { // of unit vectors e1, e2, …
		v := make([]float64, d)
		for j := range v {
			text := regexp.MustCompile(`e\d+`).ReplaceAllStringFunc(formula, func(e string) string {
				if e == "e"+string(rune('1'+j)) {
					return "1"
				}
				return "0"
			})
			v[j] = must(evaluate(text, nil))
		}
		return v
	}
	var rows [][]float64
	for part := range strings.SplitSeq(c[4], ",") {
		count, formula, _ := strings.Cut(strings.TrimSpace(part), " x ")
		for range int(must(evaluate(count, nil))) {
			rows = append(rows, vector(formula))
		}
	}
	if len(rows) != n-1 || d > 9 {
		t.Fatalf("%d common rows in %d dimensions, want %d", len(rows), d, n-1)
	}
	l1, v1 := spectrum(t, append(slices.Clone(rows), vector(c[5])), "unc", k)
	l2, v2 := spectrum(t, append(slices.Clone(rows), vector(c[6])), "unc", k)
	for j, want := range eigs {
		if !(math.Abs(l1[j]-want) <= 1e-8) { // printed to eight digits
			t.Errorf("eigenvalue %d = %g, want %g", j, l1[j], want)
		}
	}
	if got := projectorDistance(v1, v2); !(math.Abs(got-rank) <= 1e-10) {
		t.Errorf("the projector moves by %g, want %g", got, rank)
	}
	best := math.Inf(1)
	for signs := range 1 << k {
		worst := 0.0
		for _, row := range slices.CompactFunc(slices.Clone(rows), slices.Equal) {
			at := mat.NewVecDense(d, row)
			var sq float64
			for j := range k {
				s := float64(2*(signs>>j&1) - 1)
				x := mat.Dot(v1.ColView(j), at) - s*mat.Dot(v2.ColView(j), at)
				sq += x * x
			}
			worst = max(worst, math.Sqrt(sq))
		}
		best = min(best, worst)
	}
	g.Near(t, "displacement by the best signs", best, bestSign)
	gap := math.Inf(1)
	for _, l := range [][]float64{l1, l2} {
		gap = min(gap, l[0]-l[1], l[k-1]-l[k])
	}
	g.Near(t, "the paper's", 2*paperPCA(float64(n), gap), paper)
	if !(best > paper) {
		t.Errorf("observed %g does not break the paper's %g", best, paper)
	}
}
