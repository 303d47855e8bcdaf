package perinstance

import (
	"context"
	"math"
	"math/rand/v2"
	"os"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// A Report of the comparison: the data-independent one, or the data-dependent one of the source's Algorithm 4, with its lines as
// printed or as they should be. All four see the same release and the same noise.
type Reported int

// The reports.
const (
	IndependentPrinted Reported = iota
	IndependentOurs
	DependentPrinted
	DependentOurs
	reports
)

// String names the report.
func (r Reported) String() string {
	return [...]string{"independent, printed", "independent, ours", "dependent, printed", "dependent, ours"}[r]
}

// PrintedSettings of a run of the comparison.
type PrintedSettings struct {
	Runs  int     `json:"runs"` // releases of each set
	Few   int     `json:"few"`  // releases of each point of a sweep
	Rho   float64 `json:"rho"`  // with which a bound may fail, by either's word
	Delta float64 `json:"delta"`
	Seed  uint64  `json:"seed"`
	Sizes []int   `json:"sizes"` // n of Figure 4
	Dims  []int   `json:"dims"`  // d of Figure 5
}

// FullPrinted are the settings of the stored results.
func FullPrinted() PrintedSettings {
	return PrintedSettings{
		Runs: 300, Few: 20, Rho: 0.1, Delta: 1e-5, Seed: 3,
		Sizes: []int{100, 300, 1000, 3000, 10000}, Dims: []int{1, 2, 5, 10, 20, 40, 60},
	}
}

// PrintedResults of the comparison.
type PrintedResults struct {
	Settings PrintedSettings   `json:"settings"`
	Files    map[string]string `json:"files"` // sha256 of the data
	Sizes    []PrintedSweep    `json:"sizes"` // Figure 4
	Dims     []PrintedSweep    `json:"dims"`  // Figure 5
	Sets     []PrintedSet      `json:"sets"`  // Figures 7 to 10
}

// PrintedSweep is a point of Figures 4 and 5: the largest loss of a record, and the largest bound by each report, for all records
// at once; means over releases with their standard errors.
type PrintedSweep struct {
	At           float64
	Loss, LossSE float64
	Bound        [reports]float64
	BoundSE      [reports]float64
}

// PrintedSet is one data set under one noise.
type PrintedSet struct {
	Name                        string
	Sigma, Lambda               float64
	Gradient, Hessian, Smallest float64 // the deviations σ₂, σ₃, σ₄ of Algorithms 5, 6 and 3
	Runs, Records               int
	Losses                      Summary
	Report                      [reports]PrintedReport
}

// PrintedReport is what a report told.
type PrintedReport struct {
	Bounds, Ratios Summary
	Beyond         float64 // share of records whose loss is above the bound
	BeyondSE       float64 // its standard error, over releases
	Undefined      float64 // share of records with the logarithm of a number that is not positive
}

// Set returns a set by its name.
func (r *PrintedResults) Set(name string) PrintedSet {
	for _, s := range r.Sets {
		if s.Name == name {
			return s
		}
	}
	return PrintedSet{Name: name}
}

// problem is what is released: rows of norm 1 at most, a loss with ℓ” ≤ bend, and the noise.
type problem struct {
	x             [][]float64
	y             []float64
	loss          pdp.Loss
	bend          float64
	sigma, lambda float64
}

// noises are σ₂, σ₃ and σ₄ at ε₂ = ε₃ = 1: the gradient has the one, the Hessian and its eigenvalue half of μ² of the other each.
func (s PrintedSettings) noises(bend float64) (gradient, hessian, smallest float64, err error) {
	mu, err := accountant.CalibrateGaussian(accountant.Budget{Epsilon: 1, Delta: s.Delta})
	half := mu / math.Sqrt2
	return 1 / mu, bend / (math.Sqrt2 * half), bend / half, err
}

// RunPrinted runs the comparison. The real sets need DPNB_DATA; without it they are left out.
func RunPrinted(ctx context.Context, s PrintedSettings) (*PrintedResults, error) {
	out := &PrintedResults{Settings: s, Files: map[string]string{}}
	stored, err := Stored()
	if err != nil {
		return nil, err
	}
	// The library's σ and Λ at ε = 1 and at ε = 0.3: the paper's are in its main part.
	one, third := stored.Kidney[0], stored.Kidney[5]
	for _, n := range s.Sizes {
		p, err := s.sweepPrinted(ctx, float64(n), n, 50, one)
		if err != nil {
			return nil, err
		}
		out.Sizes = append(out.Sizes, p)
	}
	for _, d := range s.Dims {
		p, err := s.sweepPrinted(ctx, float64(d), 1000, d, one)
		if err != nil {
			return nil, err
		}
		out.Dims = append(out.Dims, p)
	}
	root := os.Getenv("DPNB_DATA")
	if root == "" {
		return out, nil
	}
	for _, name := range []string{"kidney/chronic_kidney_disease_full.arff", "wine/winequality-red.csv"} {
		sum, err := lab.Digest(name)
		if err != nil {
			return nil, err
		}
		out.Files[name] = sum
	}
	for _, c := range []struct {
		name          string
		load          func() (*frames.Frame, string, error)
		loss          pdp.Loss
		bend          float64
		sigma, lambda float64
	}{
		{"kidney, ε = 1", datasets.Kidney, pdp.Logistic{}, 0.25, one.Sigma, one.Lambda},
		{"kidney, ε = 0.3", datasets.Kidney, pdp.Logistic{}, 0.25, third.Sigma, third.Lambda},
		{"wine, σ = 4, Λ = 30", datasets.WineRed, pdp.Squared{}, 1, 4, 30},
		{"wine, σ = 4, Λ = 1", datasets.WineRed, pdp.Squared{}, 1, 4, 1},
		{"wine, σ = 4, Λ = 0.3", datasets.WineRed, pdp.Squared{}, 1, 4, 0.3},
	} {
		f, _, err := c.load()
		if err != nil {
			return nil, err
		}
		x, y, err := encoded(ctx, f)
		if err != nil {
			return nil, err
		}
		set, err := s.set(c.name, problem{x, y, c.loss, c.bend, c.sigma, c.lambda})
		if err != nil {
			return nil, err
		}
		out.Sets = append(out.Sets, set)
	}
	return out, nil
}

// set repeats a release, with bounds for one record.
func (s PrintedSettings) set(name string, p problem) (PrintedSet, error) {
	out := PrintedSet{Name: name, Sigma: p.sigma, Lambda: p.lambda, Runs: s.Runs}
	var err error
	if out.Gradient, out.Hessian, out.Smallest, err = s.noises(p.bend); err != nil {
		return out, err
	}
	var losses []float64
	var bounds, ratios [reports][]float64
	var beyond [reports][]float64 // by release
	var undefined [reports]float64
	for run := range s.Runs {
		all, told, err := s.once(p, run, pdp.ForOne)
		if err != nil {
			return out, err
		}
		var over [reports]float64
		for i, l := range all {
			l = math.Abs(l)
			losses = append(losses, l)
			for r := range reports {
				b := told[i][r]
				if math.IsNaN(b) {
					undefined[r]++
					continue
				}
				bounds[r], ratios[r] = append(bounds[r], b), append(ratios[r], b/l)
				if l > b {
					over[r] += 1 / float64(len(all))
				}
			}
		}
		for r := range reports {
			beyond[r] = append(beyond[r], over[r])
		}
	}
	out.Records = len(losses)
	out.Losses = summarise(losses)
	for _, v := range []*float64{&out.Gradient, &out.Hessian, &out.Smallest} {
		*v = rounded(*v)
	}
	for r := range reports {
		k := &out.Report[r]
		k.Beyond, k.BeyondSE = mean(beyond[r])
		k.Undefined = rounded(undefined[r] / float64(len(losses)))
		if len(bounds[r]) > 0 {
			k.Bounds, k.Ratios = summarise(bounds[r]), summarise(finite(ratios[r]))
		}
	}
	return out, nil
}

// sweepPrinted is a point of Figure 4 or 5, with bounds for all records at once.
func (s PrintedSettings) sweepPrinted(ctx context.Context, at float64, n, d int, noise Kind) (PrintedSweep, error) {
	out := PrintedSweep{At: at}
	f, err := Synthetic(n, d, s.Seed)
	if err != nil {
		return out, err
	}
	p := problem{loss: pdp.Logistic{}, bend: 0.25, sigma: noise.Sigma, lambda: noise.Lambda}
	err = frames.Public(f).Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			p.x, p.y = append(p.x, append([]float64{}, b.Row(i)...)), append(p.y, 2*b.Y[i]-1)
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	var losses []float64
	var bounds [reports][]float64
	for run := range s.Few {
		all, told, err := s.once(p, run, pdp.ForAllRows)
		if err != nil {
			return out, err
		}
		var worst float64
		var most [reports]float64
		for i, l := range all {
			worst = max(worst, math.Abs(l))
			for r := range reports {
				most[r] = max(most[r], told[i][r])
			}
		}
		losses = append(losses, worst)
		for r := range reports {
			bounds[r] = append(bounds[r], most[r])
		}
	}
	out.Loss, out.LossSE = mean(losses)
	for r := range reports {
		out.Bound[r], out.BoundSE[r] = mean(bounds[r])
	}
	return out, nil
}

// once makes a release and returns the losses of its members and what the reports tell them.
func (s PrintedSettings) once(p problem, run int, who pdp.Who) ([]float64, [][reports]float64, error) {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(run)))
	r, err := p.minimise(rng)
	if err != nil {
		return nil, nil, err
	}
	a, err := pdp.ObjectivePerturbation{Theta: r.theta, Sigma: p.sigma, Lambda: p.lambda, Loss: p.loss}.Audit(p.x, p.y)
	if err != nil {
		return nil, nil, err
	}
	sealed, err := a.Members()
	if err != nil {
		return nil, nil, err
	}
	losses, _ := sealed.Open()
	gradient, hessian, smallest, err := s.noises(p.bend)
	if err != nil {
		return nil, nil, err
	}
	n, err := r.publish(rng, gradient, hessian, smallest)
	if err != nil {
		return nil, nil, err
	}
	ours, err := p.ours(n, s.Rho, who)
	if err != nil {
		return nil, nil, err
	}
	printed := p.printed(n, s.Rho, who)
	told := make([][reports]float64, len(p.x))
	for i := range p.x {
		told[i][IndependentPrinted], told[i][DependentPrinted] = printed(p.x[i], p.y[i])
		if told[i][IndependentOurs], told[i][DependentOurs], err = ours(p.x[i], p.y[i]); err != nil {
			return nil, nil, err
		}
	}
	return losses, told, nil
}
