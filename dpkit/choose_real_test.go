package dpkit

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// choiceOfReal is what a choice among three models of real rows finds and loses, by its exact law over draws of the models.
type choiceOfReal struct {
	best, lost, random float64 // probability of the best on held-out rows, accuracy that is lost, and what a die would lose
}

// choicesOfReal releases three models at (1, 1e-6) each on n rows of Adult or credit, as often as draws says: by descent and by
// objective perturbation on all columns, and by descent on four numbers. The choice among them is at each ε.
func choicesOfReal(t testing.TB, adult bool, n, draws int, epsilons ...float64) []choiceOfReal {
	t.Helper()
	load, few := datasets.Credit, []string{"LIMIT_BAL", "PAY_1", "BILL_AMT1", "PAY_AMT1"}
	if adult {
		load, few = datasets.Adult, []string{"age", "education-num", "hours-per-week", "capital-gain"}
	}
	f, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	held, rest, err := frames.Split(f, 1./3, 7)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]choiceOfReal, len(epsilons))
	for draw := range draws {
		train := rest
		if n < rest.Rows() {
			train, _, err = frames.Split(rest, float64(n)/float64(rest.Rows()), uint64(100+draw))
			if err != nil {
				t.Fatal(err)
			}
		}
		d := must(Demo(train, uint64(7*draw+1), AddRemove)).Data()
		all, numbers := d.OneHot(), d.Select(few...)
		if adult {
			all, numbers = all.ClipColumns(0, 20000, "capital-gain").Impute(Midpoint{}), numbers.ClipColumns(0, 20000, "capital-gain")
		}
		all, numbers = all.Scale(), numbers.Scale()
		var among []Predictor
		var right []float64
		for _, p := range []Plan[LogisticModel]{
			all.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}), all.FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}), numbers.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}),
		} {
			m := must(p.Release(t.Context())).Value
			among, right = append(among, m), append(right, must(m.Accuracy(t.Context(), frames.Public(held))))
		}
		errs := errorsOfModels(t, train, among...)
		best, least := slices.Max(right), slices.Min(errs)
		for e, epsilon := range epsilons {
			weight, sum := make([]float64, len(errs)), 0.0
			for i, wrong := range errs {
				weight[i] = math.Exp(-epsilon * (wrong - least))
				sum += weight[i]
			}
			for i, w := range weight {
				out[e].lost += w / sum * (best - right[i]) / float64(draws)
				out[e].random += (best - right[i]) / float64(len(right)*draws)
				if right[i] == best {
					out[e].best += w / sum / float64(draws)
				}
			}
		}
	}
	return out
}

// TestChooseOnRealData: on 3000 rows a choice at ε = 0.5 loses next to nothing, less than a fifth of what a die loses.
func TestChooseOnRealData(t *testing.T) {
	t.Parallel()
	if os.Getenv("DPNB_DATA") == "" {
		t.Skip("DPNB_DATA is not set: NOTHING WAS MEASURED on Adult and credit")
	}
	for name, adult := range map[string]bool{"adult": true, "credit": false} {
		c := choicesOfReal(t, adult, 3000, 1, 0.5)[0]
		t.Logf("%s: %+v", name, c)
		if !(c.lost <= 0.002 && c.lost < c.random/5) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// BenchmarkChooseOnRealData prints the table of docs/theory/mechanisms.md#choosing-a-model, in about a minute:
//
//	go test ./dpkit -run '^$' -bench ChooseOnRealData -benchtime 1x
func BenchmarkChooseOnRealData(b *testing.B) {
	if os.Getenv("DPNB_DATA") == "" {
		b.Skip("DPNB_DATA is not set: NOTHING WAS MEASURED on Adult and credit")
	}
	for range b.N {
		for _, adult := range []bool{true, false} {
			for _, n := range []int{300, 1000, 3000, 10000} {
				epsilons := []float64{0.1, 0.5, 1}
				line := fmt.Sprintf("| %s | %d |", map[bool]string{true: "Adult", false: "credit"}[adult], n)
				cells := choicesOfReal(b, adult, n, 20, epsilons...)
				for _, c := range cells {
					line += fmt.Sprintf(" %.2f, %.4f |", c.best, c.lost)
				}
				b.Logf("%s %.4f |", line, cells[0].random)
			}
		}
	}
}
