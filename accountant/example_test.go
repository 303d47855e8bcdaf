package accountant_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/dpkit-go/dpnb/accountant"
)

// A counting query is asked ten times; what did that cost?
func ExampleEpsilonOf() {
	count := accountant.Gaussian{Sensitivity: 1, Sigma: 20, Neighbours: accountant.AddRemove}
	ten := accountant.Repeat(count, 10)
	g, err := accountant.EpsilonOf(ten, accountant.AddRemove, 1e-6)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g)
	fmt.Println(g.Route)
	// Output:
	// (0.648106, 1e-06)-DP, add/remove, unconditional
	// exact Gaussian profile
}

// How much noise does a sum of rows clipped to norm 1 need, when one row may be replaced?
func ExampleCalibrateGaussian() {
	mu, err := accountant.CalibrateGaussian(accountant.Budget{Epsilon: 1, Delta: 1e-6})
	if err != nil {
		log.Fatal(err)
	}
	const sensitivity = 2 // a row of norm 1 becomes another
	fmt.Printf("sigma %.4f\n", sensitivity/mu)
	// Output:
	// sigma 8.4494
}

// Which part of a plan costs the most?
func ExampleExplain() {
	plan := accountant.Compose(
		accountant.Repeat(accountant.Gaussian{Sensitivity: 1, Sigma: 20, Neighbours: accountant.AddRemove}, 10),
		accountant.Gaussian{Sensitivity: 1, Sigma: 5, Neighbours: accountant.AddRemove},
	)
	x, err := accountant.Explain(plan, accountant.AddRemove, 1e-6)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(x)
	// Output:
	// (1.08339, 1e-06)-DP, add/remove, unconditional by exact Gaussian profile; shares of μ²
	// Compose                                                   ε  1.08339  100.0 %
	// ├─ Repeat                                                 ε 0.648106   38.5 %
	// │  └─ 10 × Gaussian(sensitivity 1, sigma 20, add/remove)  ε 0.648106   38.5 %
	// └─ Gaussian(sensitivity 1, sigma 5, add/remove)           ε 0.834118   61.5 %
}

// Questions are asked as the answers to earlier ones suggest, while the budget lasts.
func ExampleFilter() {
	budget := accountant.Budget{Epsilon: 1, Delta: 1e-6}
	filter, err := accountant.NewFilter(budget, accountant.AddRemove, accountant.ByZCDP())
	if err != nil {
		log.Fatal(err)
	}
	question := accountant.Laplace{Sensitivity: 1, Scale: 100, Neighbours: accountant.AddRemove}
	asked := 0
	for filter.Admit(question) == nil {
		asked++ // draw the answer here
	}
	fmt.Println(asked, "questions, ε =", fmt.Sprintf("%.3f", filter.Spent().Epsilon))
	// Output:
	// 488 questions, ε = 0.999
}

// A sketch of 100 rows for a budget, with noise that holds for all data of row norm at most 1.
func ExampleCalibrateGaussMix() {
	gamma, err := accountant.CalibrateGaussMix(accountant.Budget{Epsilon: 1, Delta: 1e-5}, 100, accountant.AddRemove)
	if err != nil {
		log.Fatal(err)
	}
	mix := accountant.GaussMix{K: 100, Gamma: gamma, Neighbours: accountant.AddRemove}
	g, err := accountant.EpsilonOf(mix, accountant.AddRemove, 1e-5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("noise variance %.4f\n%v by the %s\n", gamma-1, g, g.Route)
	// Output:
	// noise variance 30.6610
	// (1, 1e-05)-DP, add/remove, unconditional by the exact profile
}

// A mechanism of which only curves are known, after preprocessing that moved the other rows.
func ExampleSmoothRoutes() {
	free := func(alpha float64) float64 { return 0.02 * alpha }   // one row that changes
	shift := func(alpha float64) float64 { return 0.001 * alpha } // the rows that moved with it
	routes, err := accountant.SmoothRoutes{Free: free, Shift: shift, Group: free, Size: 30}.Routes()
	if err != nil {
		log.Fatal(err)
	}
	g, err := accountant.EpsilonOf(accountant.ByRoutes("model", accountant.ReplaceOne, routes), accountant.ReplaceOne, 1e-6)
	if err != nil {
		log.Fatal(err)
	}
	_, name := routes.At(20)
	fmt.Println(g, "by the", name)
	// Output:
	// (1.11706, 1e-06)-DP, replace-one, unconditional by the weak triangle
}

// A histogram was priced for a row that is added or removed, a sum for one that is replaced. What do both cost together?
func ExampleAsReplaceOne() {
	histogram := accountant.Laplace{Sensitivity: 1, Scale: 10, Neighbours: accountant.AddRemove}
	sum := accountant.Gaussian{Sensitivity: 2, Sigma: 20, Neighbours: accountant.ReplaceOne}
	both := accountant.Compose(accountant.AsReplaceOne(histogram), sum)
	g, err := accountant.EpsilonOf(both, accountant.ReplaceOne, 1e-6)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g)
	_, err = accountant.EpsilonOf(accountant.Compose(histogram, sum), accountant.ReplaceOne, 1e-6)
	fmt.Println(errors.Is(err, accountant.ErrNeighbours))
	// Output:
	// (0.615447, 1e-06)-DP, replace-one, unconditional
	// true
}

// At equal privacy the relative Gaussian mechanism adds less noise than the Gaussian one up to some norm of what is released.
func ExampleCompareRelativeGaussian() {
	r := accountant.RelativeGaussian{Eta: 0.002, Dim: 22, Matched: 1, Neighbours: accountant.ReplaceOne}
	c, err := accountant.CompareRelativeGaussian(accountant.Budget{Epsilon: 1, Delta: 1e-6}, r, 1, 0.1, 0.001, 0.01)
	if err != nil {
		panic(err)
	}
	fmt.Printf("relative %.4f, plain %.4f, equal at the norm %.2f\n", c.Relative, c.Plain, c.Crossing)
	// Output:
	// relative 0.0048, plain 0.0453, equal at the norm 4.75
}

// A choice of public constants for rows that are nearly Gaussian.
func ExampleChooseGaussianFeatures() {
	c, err := accountant.ChooseGaussianFeatures(100_000, 22, accountant.Budget{Epsilon: 0.1, Delta: 1e-7}, 1e-3)
	if err != nil {
		panic(err)
	}
	fmt.Printf("clip to %g, test for ρ = %.3f, from %d rows on\n", c.Leverage, c.Strength, c.Rows)
	// Output:
	// clip to 44, test for ρ = 0.500, from 27251 rows on
}

func ExampleInWords() {
	step := accountant.Gaussian{Sensitivity: 1, Sigma: 84.89, Neighbours: accountant.ReplaceOne}
	fmt.Println(accountant.InWords(accountant.Repeat(step, 206)))
	// Output: Gaussian noise, 84.9 times the sensitivity, in 206 steps
}
