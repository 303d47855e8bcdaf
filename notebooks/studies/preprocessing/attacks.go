package preprocessing

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/preprocessing/printed"
)

// Attack is a claim of the paper beside neighbouring datasets that it is about.
type Attack struct {
	Table    string // of the paper where the claim is printed
	Name     string // short
	Claim    string
	Data     string
	Unit     string
	Printed  float64
	Observed float64 // on the data
	Ours     float64 // a bound that holds on the data; NaN where there is none
}

// Broken reports whether the data refute what is printed.
func (a Attack) Broken() bool { return a.Observed > a.Printed*(1+1e-9) }

const (
	loss = "αε²" // a divergence, in these units
	move = "ℓ2"  // how far a row is moved
)

// Attacks are the claims that known datasets refute, and those of the same tables that hold.
func Attacks() ([]Attack, error) {
	var out []Attack
	for _, part := range []func() ([]Attack, error){table1, byClusters, byImputation, byScaling, byPCA} {
		a, err := part()
		if err != nil {
			return nil, fmt.Errorf("preprocessing study: attacks: %w", err)
		}
		out = append(out, a...)
	}
	return out, nil
}

// table1 are losses that are linear in the parameters, so that every gradient is a row.
func table1() ([]Attack, error) {
	out := []Attack{{
		Table: "1", Name: "gradient descent", Claim: "DP-GD, Theorem 13: αε²/2", Data: "loss ⟨θ, x⟩, the row e₁ replaced by −e₁", Unit: loss,
		Printed: 0.5, Observed: 2, Ours: 2,
	}}
	const n, steps = 100, 1_000_000
	sigma := math.Sqrt(steps) / n // ε = 1
	for _, alpha := range []float64{2, 3} {
		ours, err := accountant.Repeat(accountant.SubsampledGaussian{
			C: 1, Sigma: sigma, Sampling: accountant.BatchSampling(1, n), Neighbours: dpkit.ReplaceOne,
		}, steps).RDP(dpkit.ReplaceOne)
		if err != nil {
			return nil, err
		}
		out = append(out, Attack{
			Table: "1", Name: fmt.Sprintf("SGD-samp, α = %g", alpha), Claim: fmt.Sprintf("SGD-samp, Theorem 14: α²ε²/2 at α = %g", alpha), Data: "the same, one of 100 rows a step, 10⁶ steps", Unit: loss,
			Printed: alpha / 2, Observed: SampledPair(alpha, n, steps, sigma) / alpha, Ours: ours(alpha) / alpha,
		})
	}
	// Lemma 4: κ rows moved by τ/κ each is not the worst of those that are moved by τ in all.
	const kappa = 50
	return append(out, Attack{
		Table: "1", Name: "SGD-iter, SRDP", Claim: "SGD-iter, Lemma 4: 2ατ²μ²/(σ²κ), κ = 50 rows moved", Data: "all of τ on the last of them, constant maps", Unit: "ατ²μ²/σ²",
		Printed: 2. / kappa, Observed: 0.5, Ours: 0.5,
	}), nil
}

// SampledPair is the divergence of steps of SGD that draw one of n rows, all zero but one, which is e₁ or −e₁: a lower bound on what
// such steps cost. By the trapezoidal rule.
func SampledPair(alpha, n, steps, sigma float64) float64 {
	q, h, sum := 1/n, 1e-3, 0.0
	for x := -12.0; x <= 12; x += h {
		tilt := math.Exp(-1 / (2 * sigma * sigma))
		a := 1 - q + q*tilt*math.Exp(x/sigma)
		b := 1 - q + q*tilt*math.Exp(-x/sigma)
		// b·((a/b)^α − 1 − α(a/b − 1)): nothing that cancels.
		r := math.Log(a / b)
		sum += h * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) * b * (math.Expm1(alpha*r) - alpha*math.Expm1(r))
	}
	return steps / (alpha - 1) * math.Log1p(sum)
}

func byClusters() ([]Attack, error) {
	var out []Attack
	const m, eta = 10, 0.05
	for d := 1; d <= 3; d++ {
		common, left, right := besieged(d, m, 2.95*eta, 0)
		a, leftA := dedup(append(common[:len(common):len(common)], left), eta)
		b, _ := dedup(append(common[:len(common):len(common)], right), eta)
		_, alone := dedup(common, eta)
		t, err := printed.Table2(printed.Setting{
			Order: 11, Epsilon: 1, Rows: len(common) + 1, Columns: d, Sensitivity: 2, Cluster: m, Eta: eta, Missing: 1, Gap: 0.1, Std: 0.5,
		})
		if err != nil {
			return nil, err
		}
		c, _ := t.Cell(printed.Gaussian, printed.Dedup)
		space := map[int]string{1: "on a line", 2: "in the plane", 3: "in space"}[d]
		out = append(out, Attack{
			Table: "2", Name: "deduplication " + space + ", rows", Claim: "Δ∞ of deduplication (Prop. 3): 2·max|B| " + space, Data: "a row amid clusters of 10 equal ones", Unit: "rows",
			Printed: 2 * m, Observed: 2 * float64(leftA-1-alone), Ours: min(float64(len(common)), 2*(float64(len(packing(d)))*(m-1)+1)),
		}, Attack{
			Table: "2", Name: "deduplication " + space + ", M_G", Claim: "M_G behind deduplication " + space, Data: "the sum of first coordinates", Unit: loss,
			Printed: c.Printed.Value() / 11, Observed: (a - b) * (a - b) / 8, Ours: c.Direct.Value() / 11,
		})
	}
	const small = 9
	common, left, right := besieged(2, small, 2.99*eta, eta)
	shift := quantize(append(common[:len(common):len(common)], left), left, right, eta) -
		quantize(append(common[:len(common):len(common)], right), left, right, eta)
	t, err := printed.Table2(printed.Setting{
		Order: 11, Epsilon: 1, Rows: len(common) + 1, Columns: 2, Cluster: small, Eta: eta, Missing: 1, Gap: 0.1, Std: 0.5,
	})
	if err != nil {
		return nil, err
	}
	c, _ := t.Cell(printed.Gaussian, printed.Quantization)
	out = append(out, Attack{
		Table: "2", Name: "quantization in the plane, M_G", Claim: "M_G behind quantization in the plane", Data: "a row amid clusters of 9 around centres", Unit: loss,
		Printed: c.Printed.Value() / 11, Observed: shift * shift / 2, Ours: c.Direct.Value() / 11,
	})
	// Two rows just too far from each other for one cluster, and a third in reach of both: it is the only centre.
	rows := [][]float64{{0, 0.5001 * eta}, {0, -0.5001 * eta}}
	at := [][]float64{{0.8659 * eta, 0}, {-0.8659 * eta, 0}}
	var centre [2][]float64
	for k, z := range at {
		x := append(rows[:2:2], z)
		centre[k] = x[clusters(x, eta)[0]]
	}
	return append(out, Attack{
		Table: "2", Name: "quantization, distance", Claim: "Δ₂ of quantization (Prop. 3): η, η = 0.05", Data: "two rows, their centre replaced", Unit: move,
		Printed: eta, Observed: distance(centre[0], centre[1]), Ours: 2 * eta,
	}), nil
}

// step is what the library says of one step on n rows of some columns in [−1, 1], in the unit ball.
func step(n, columns int, missing bool, chain func(dpkit.Pipeline) dpkit.Pipeline) (cost.Step, error) {
	var c []frames.Column
	for j := range columns {
		col := frames.Numeric(fmt.Sprint("x", j+1), -1, 1)
		if missing {
			col = col.MayMiss()
		}
		c = append(c, col)
	}
	schema, err := frames.NewSchema(c...)
	if err != nil {
		return cost.Step{}, err
	}
	f, err := frames.FromBlock(schema, &frames.Block{Rows: n, Cols: columns, X: make([]float64, n*columns)})
	if err != nil {
		return cost.Step{}, err
	}
	s, err := dpkit.Demo(f, 1, dpkit.ReplaceOne)
	if err != nil {
		return cost.Step{}, err
	}
	price, err := chain(s.Data()).Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Cost()
	if err != nil {
		return cost.Step{}, err
	}
	return price.Steps[len(price.Steps)-1], nil
}

func byImputation() ([]Attack, error) {
	const n = 100
	// n − 2 rows (s, s), one without cells, (−1, missing) replaced by (missing, −1).
	s := 1 / math.Sqrt2
	full, cut := s, ((n-2)*s-1)/(n-1)
	mean, err := step(n, 2, true, func(p dpkit.Pipeline) dpkit.Pipeline {
		return p.ClipNorm(1).Impute(dpkit.Mean{Pad: n - 2, MinObserved: dpkit.Declare(n - 2)})
	})
	if err != nil {
		return nil, err
	}
	// 999 rows x = 0.1, y = 0.995 and (1, 0) replaced by (0, 0); the cell of x = 1 is filled in.
	before, after := 999*0.1*0.995/(999*0.01+1), 999*0.1*0.995/(999*0.01)
	small, large := 999*0.01, 999*0.01+1
	// 100 rows (s, s), 99 without cells, and the same replacement: the sum of (x₁ − x₂)/√2, capped at ±1.
	t, err := printed.Table2(printed.Setting{
		Order: 11, Epsilon: 1, Rows: 200, Columns: 2, Sensitivity: 2, Cluster: 1, Eta: 0.1, Missing: 100, Gap: 0.1, Std: 0.5,
	})
	if err != nil {
		return nil, err
	}
	c, _ := t.Cell(printed.Gaussian, printed.Imputation)
	shift := 2 + 99*math.Sqrt2*(s+1)/101
	return []Attack{
		{
			Table: "2", Name: "mean imputation, M_G", Claim: "M_G behind mean imputation", Data: "which cell misses changes, n = 200, p = 100", Unit: loss,
			Printed: c.Printed.Value() / 11, Observed: shift * shift / 8, Ours: c.Direct.Value() / 11,
		},
		{
			Table: "3", Name: "mean", Claim: "mean (Cor. 4): 2/(n − p)", Data: "which cell misses changes, n = 100", Unit: move,
			Printed: 2. / (n - 2), Observed: math.Sqrt2 * (full - cut), Ours: mean.LargestRow,
		},
		{
			Table: "3", Name: "median", Claim: "median: x_((n+1)/2) − x_(n/2)", Data: "{0, 0, 1, 1} and {0, 0, 0, 1}", Unit: move,
			Printed: 0, Observed: 0.5, Ours: 0.5, // half the distance of the neighbours of the middle of {0, 0, 1}
		},
		{
			Table: "3", Name: "trimmed mean", Claim: "trimmed mean: (x_(m) − x_(n−m))/(n − 2m − p)", Data: "{−1, −½, 0, ½, 1} and −1 for 1, m = 1", Unit: move,
			Printed: -1. / 3, Observed: 0.5, Ours: 1. / 2, // (A_(4) − A_(1))/(5 − 2) = 3/2/3 of {−1, −½, 0, ½}
		},
		{
			Table: "3", Name: "regression", Claim: "regression, eigenvalues of the regressors", Data: "999 rows (0.1, 0.995), (1, 0) and (0, 0)", Unit: move,
			Printed: large*large/((large+1)*small*small) + 1/small, Observed: after - before,
			Ours: (after + math.Sqrt(1+after*after)) / small, // (W + √(1 + W²))/λ
		},
	}, nil
}

func byScaling() ([]Attack, error) {
	// n values ±1, a of them 1: one more.
	const n, a = 10_000, 20
	value := func(ones float64) (y, std float64) {
		p := ones / n
		std = 2 * math.Sqrt(p*(1-p))
		return (1 - (2*p - 1)) / std, std
	}
	few, std := value(a)
	more, _ := value(a + 1)
	row, err := step(n, 1, false, func(p dpkit.Pipeline) dpkit.Pipeline {
		return p.Standardize(dpkit.Standard{Gain: 1, MinSpread: dpkit.Declare(std)})
	})
	if err != nil {
		return nil, err
	}
	// Half the rows at −1, half at −1 + 2s, and 1 replaced by −1 + s: Σ min(|y|, 1) behind scaling.
	const many, s = 100_000, 0.05
	sum := func(z float64) (total, std float64) {
		x := make([]float64, many)
		for i := range x {
			x[i] = -1 + 2*s*float64(i%2)
		}
		x[many-1] = z
		mean, square := 0.0, 0.0
		for _, v := range x {
			mean += v / many
		}
		for _, v := range x {
			square += (v - mean) * (v - mean) / many
		}
		std = math.Sqrt(square)
		for _, v := range x {
			total += min(math.Abs((v-mean)/std), 1)
		}
		return total, std
	}
	f1, std1 := sum(1)
	f2, std2 := sum(-1 + s)
	t, err := printed.Table2(printed.Setting{
		Order: 11, Epsilon: 1, Rows: many, Columns: 1, Cluster: 1, Eta: 0.1, Missing: 1, Gap: 0.1, Std: min(std1, std2),
	})
	if err != nil {
		return nil, err
	}
	c, _ := t.Cell(printed.Gaussian, printed.Scaling)
	return []Attack{
		{
			Table: "2", Name: "scaling, distance", Claim: "Δ₂ of scaling (Prop. 6): 2/(nσ³) + 2/(nσ)", Data: "20 ones among 10⁴ values ±1", Unit: move,
			Printed: 2/(n*std*std*std) + 2/(n*std), Observed: few - more, Ours: row.LargestRow,
		},
		{
			Table: "2", Name: "scaling, M_G", Claim: "M_G behind scaling: 1.05(1 + 4/σ³)", Data: "two heaps of 5·10⁴ values, σ = 0.05", Unit: loss,
			Printed: c.Printed.Value() / 11, Observed: (f1 - f2) * (f1 - f2) / 2, Ours: c.Direct.Value() / 11,
		},
	}, nil
}

// byPCA: 500 rows e₁, 200 e₂, 199 e₃, 100 zeros, and (e₂ + e₃)/√2 replaced by (e₂ − e₃)/√2; k = 3.
func byPCA() ([]Attack, error) {
	const n = 1000.0
	// The block of e₂ and e₃ is [[200.5, ±0.5], [±0.5, 199.5]]/n: its directions turn by twice half the angle of (1, 1).
	turn := math.Atan2(1, 1)
	gap3, gap1 := (200-math.Sqrt(0.5))/n, (500-200-math.Sqrt(0.5))/n
	bound := 4 * (3*n + 2) / (n * (n - 1) * min(gap3, gap1))
	// Nine rows (0.8, 0), and (r, r) replaced by (r, −r), r = 1/√2: the projector onto the first direction.
	a, b := (9*0.64+0.5)/10, 0.5/10
	angle := math.Atan2(2*b, a-b) / 2
	gap := math.Hypot(a-b, 2*b)
	return []Attack{
		{
			Table: "2", Name: "PCA, coordinates", Claim: "Δ₂ of PCA, x ↦ Aᵀx (Prop. 5), k = 3", Data: "the third direction turns with the second", Unit: move,
			Printed: 2 * bound, Observed: 2 * math.Sin(turn/2), Ours: math.NaN(),
		},
		{
			Table: "2", Name: "PCA, projector", Claim: "Δ₂ of PCA, x ↦ AAᵀx (Prop. 5), k = 1", Data: "nine rows (0.8, 0) and one at 45°", Unit: move,
			Printed: 4 * (3*10 + 2) / (10 * 9 * gap), Observed: math.Sin(2 * angle), Ours: 1 / (10 * gap),
		},
	}, nil
}
