package perinstance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Settings of a run.
type Settings struct {
	Runs  int     `json:"runs"` // releases of each kind
	Many  int     `json:"many"` // of each kind on the kidney rows: all losses of a release move together, and a release is cheap
	Few   int     `json:"few"`  // releases of each point of a sweep
	Rho   float64 `json:"rho"`
	Delta float64 `json:"delta"`
	Seed  uint64  `json:"seed"`
	Sizes []int   `json:"sizes"` // n of Figure 4
	Dims  []int   `json:"dims"`  // d of Figure 5
}

// Full are the settings of the stored results.
func Full() Settings {
	return Settings{
		Runs: 30, Many: 300, Few: 8, Rho: 0.1, Delta: 1e-5, Seed: 1,
		Sizes: []int{100, 300, 1000, 3000, 10000}, Dims: []int{1, 2, 5, 10, 20, 40, 60},
	}
}

// Results of the study. Shares are of all records in all releases.
type Results struct {
	Settings   Settings          `json:"settings"`
	Files      map[string]string `json:"files"` // sha256 of the data
	Sizes      []Sweep           `json:"sizes"` // Figure 4
	Dims       []Sweep           `json:"dims"`  // Figure 5
	Allocation []Kind            `json:"allocation"`
	Kidney     []Kind            `json:"kidney"`
	Credit     []Kind            `json:"credit"`
	Wine       []Kind            `json:"wine"`
}

// Sweep is a point of Figures 4 and 5: the largest loss and the largest bounds over the records, for all of them at once, means
// over the releases with their standard errors.
type Sweep struct {
	At                              float64
	Loss, Independent, Dependent    float64
	LossSE, IndependentSE, DependSE float64
	Worst                           float64 // ε
}

// Kind is one way to release: histograms of losses, bounds and ratios.
type Kind struct {
	Name     string
	Epsilon  float64 // of all of the release; 0: no record is promised any
	Share    float64 // of μ² for the report
	Sigma    float64
	Lambda   float64
	Parts    string // statistics in the report
	Runs     int
	Records  int
	Losses   Summary // absolute
	Bounds   Summary // of the coefficients
	Totals   Summary // with the report's own
	Ratios   Summary
	Beyond   float64 // share of records beyond the bound
	Accuracy float64 // of the models on their training rows; 0: not measured
}

// Summary is a histogram over the edges of Edges and quartiles.
type Summary struct {
	Counts                         []int
	Quarter, Median, ThreeQuarters float64
}

// Edges are those of all histograms, ten to a decade: of losses, bounds and ratios alike.
func Edges() []float64 {
	e := make([]float64, 61)
	for i := range e {
		e[i] = math.Pow(10, -4+float64(i)/10)
	}
	return e
}

func summarise(x []float64) Summary {
	edges := Edges()
	s := Summary{Counts: make([]int, len(edges)-1)}
	slices.Sort(x)
	for _, v := range x {
		i, _ := slices.BinarySearch(edges, v)
		s.Counts[max(0, min(i-1, len(s.Counts)-1))]++
	}
	at := func(q float64) float64 { return rounded(x[int(q*float64(len(x)-1))]) }
	s.Quarter, s.Median, s.ThreeQuarters = at(0.25), at(0.5), at(0.75)
	return s
}

// rounded keeps five digits: results are compared by tolerance, and stored.
func rounded(x float64) float64 {
	if x == 0 || x-x != 0 {
		return x
	}
	scale := math.Pow(10, 4-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// ask is one way to release a logistic model.
type ask struct {
	name    string
	epsilon float64
	fit     dpkit.LogisticMethod
	report  dpkit.PrivacyReport
}

// told is what one release told of its records.
type told struct {
	losses []float64
	views  []pdp.View
	model  dpkit.ReportedLogistic
}

// release makes one release and opens its losses.
func release(ctx context.Context, f *frames.Frame, seed uint64, chain func(dpkit.Pipeline) dpkit.Pipeline, a ask, who pdp.Who) (told, error) {
	s, err := dpkit.Demo(f, seed, dpkit.AddRemove)
	if err != nil {
		return told{}, err
	}
	plan := chain(s.Data()).FitLogisticWithReport(a.fit, a.report)
	r, err := plan.Release(ctx)
	if err != nil {
		return told{}, fmt.Errorf("%s: %w", a.name, err)
	}
	audit, err := plan.Audit(ctx, r.Value)
	if err != nil {
		return told{}, err
	}
	t := told{model: r.Value}
	t.losses, _ = audit.Losses.Open()
	t.views, err = r.Value.MemberViews(ctx, frames.Public(f), who)
	return t, err
}

// kind repeats a release.
func (s Settings) kind(ctx context.Context, f *frames.Frame, chain func(dpkit.Pipeline) dpkit.Pipeline, a ask, runs int, accuracy bool) (Kind, error) {
	k := Kind{Name: a.name, Epsilon: a.epsilon, Share: a.report.Share, Runs: runs}
	var losses, bounds, totals, ratios []float64
	for run := range runs {
		t, err := release(ctx, f, s.Seed+uint64(run), chain, a, pdp.ForOne)
		if err != nil {
			return k, err
		}
		r := t.model.Report
		k.Sigma, k.Lambda, k.Parts = rounded(r.Sigma), rounded(r.Lambda), parts(r)
		for i, v := range t.views {
			l := math.Abs(t.losses[i])
			losses, bounds, totals, ratios = append(losses, l), append(bounds, v.Model), append(totals, v.Total()), append(ratios, v.Model/l)
			if l > v.Model {
				k.Beyond++
			}
		}
		if accuracy {
			acc, err := t.model.Accuracy(ctx, frames.Public(f))
			if err != nil {
				return k, err
			}
			k.Accuracy += acc / float64(runs)
		}
	}
	k.Records = len(losses)
	k.Beyond = rounded(k.Beyond / float64(len(losses)))
	k.Accuracy = rounded(k.Accuracy)
	k.Losses, k.Bounds, k.Totals, k.Ratios = summarise(losses), summarise(bounds), summarise(totals), summarise(ratios)
	return k, nil
}

func parts(r pdp.Report) string {
	out := ""
	for _, p := range []struct {
		on   bool
		name string
	}{{r.Hessian != nil, "Hessian"}, {r.Eigenvalue != nil, "eigenvalue"}, {r.Gradient != nil, "gradient"}} {
		if p.on {
			if out != "" {
				out += ", "
			}
			out += p.name
		}
	}
	if out == "" {
		return "none"
	}
	return out
}

func (s Settings) sweep(ctx context.Context, at float64, n, d int) (Sweep, error) {
	p := Sweep{At: at, Worst: 1}
	f, err := Synthetic(n, d, s.Seed)
	if err != nil {
		return p, err
	}
	chain := func(p dpkit.Pipeline) dpkit.Pipeline { return p.ClipNorm(1) }
	fit := dpkit.ByObjective{Epsilon: 1, Delta: s.Delta}
	var loss, independent, dependent []float64
	for run := range s.Few {
		for _, share := range []float64{0, 0.5} {
			t, err := release(ctx, f, s.Seed+uint64(run), chain, ask{"sweep", 1, fit, dpkit.PrivacyReport{Rho: s.Rho, Share: share}}, pdp.ForAllRows)
			if err != nil {
				return p, err
			}
			worstLoss, worstBound := 0.0, 0.0
			for i, v := range t.views {
				worstLoss, worstBound = max(worstLoss, math.Abs(t.losses[i])), max(worstBound, v.Model)
			}
			if share == 0 {
				loss, independent = append(loss, worstLoss), append(independent, worstBound)
			} else {
				dependent = append(dependent, worstBound)
			}
		}
	}
	p.Loss, p.LossSE = mean(loss)
	p.Independent, p.IndependentSE = mean(independent)
	p.Dependent, p.DependSE = mean(dependent)
	return p, nil
}

func mean(x []float64) (m, se float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - m) * (v - m)
	}
	return rounded(m), rounded(math.Sqrt(se / float64(max(1, len(x)-1)*len(x))))
}
