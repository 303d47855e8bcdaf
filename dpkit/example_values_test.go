package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// What is known of a released quantile's rank, whatever ties the rows have.
func ExampleQuantileEstimate() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Quantile(dpkit.Target{Epsilon: 1}, 0.5, "age").Release(context.Background())
	check(err)
	rows, err := r.Value.RankMargin(0.95)
	check(err)
	fmt.Printf("at most half of the patients and %.0f more are below %.3f\n", rows, r.Value.Lo)
	fmt.Printf("at least half of them less %.0f are at or below %.3f\n", rows, r.Value.Hi)
	// Output:
	// at most half of the patients and 15 more are below 49.171
	// at least half of them less 15 are at or below 49.172
}

// Released moments, read by the names of their columns.
func ExampleMoments() {
	session, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().Covariance(dpkit.Unbounded{Epsilon: 3, Delta: 1e-6}).Release(context.Background())
	check(err)
	between, err := r.Value.At("visits", "balance")
	check(err)
	sds := r.Value.SDs()
	fmt.Printf("correlation of %s and %s: below 0.05: %t\n", r.Value.Names[0], r.Value.Names[1], between/(sds[0]*sds[1]) < 0.05)
	// Output:
	// correlation of visits and balance: below 0.05: true
}

// Means of columns without bounds say where no mean was found.
func ExampleMeanEstimate() {
	session, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().UnboundedMean(dpkit.UnboundedMeans{Epsilon: 3, Delta: 1e-6, Locator: dpkit.BinsGaussian}).Release(context.Background())
	check(err)
	for j, name := range r.Value.Names {
		fmt.Printf("%s: located %t, noise of %.2g\n", name, r.Value.Located[j], r.Value.Sigma[j])
	}
	// Output:
	// visits: located true, noise of 0.59
	// balance: located true, noise of 0.00059
}

// The largest that noise can make an eigenvalue of a released Gram matrix.
func ExampleGramMatrix() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Select("age").Scale().Gram(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	spread, err := r.Value.Spread(0.01)
	check(err)
	fmt.Printf("Σ x² is about %.0f, off by at most %.0f\n", r.Value.Second[0], spread)
	// Output:
	// Σ x² is about 6666, off by at most 11
}

// A private sketch of rows and label: regressions of one's own can be made of it, for nothing.
func ExampleSketch() {
	rows := hoursOf(frames.NumericLabel("score", 0, 100), func(_ int, hours float64) float64 { return 10 * hours })
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().GaussMix(dpkit.Sketching{Epsilon: 1, Delta: 1e-6, Rows: 50}).Release(context.Background())
	check(err)
	fmt.Println(r.Value)
	fmt.Println(r.Value.Columns)
	// Output:
	// Gaussian mixture of 50 rows on 2 columns; counted: columns in units of their bounds; NOT PRIVATE: a demonstration: its noise is reproducible
	// [hours score]
}

// Intervals cover what the method would give without its noise.
func ExampleInterval() {
	rows := hoursOf(frames.NumericLabel("score", 0, 100), func(_ int, hours float64) float64 { return 10 * hours })
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitLinear(dpkit.AdaSSP{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	intervals, err := r.Value.Intervals(0.95)
	check(err)
	for _, i := range intervals {
		fmt.Printf("%s: %.1f to %.1f\n", i.Name, i.Lo, i.Hi)
	}
	// Output:
	// hours: 49.9 to 50.3
	// (intercept): 49.8 to 50.0
}

// A classifier's margins, above 0 for the second class.
func ExampleClassModel() {
	rows := hoursOf(frames.Label("passed", "no", "yes"), func(_ int, hours float64) float64 {
		if hours > 4 {
			return 1
		}
		return 0
	})
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitHinge(dpkit.HingeLoss{Width: 1}, dpkit.ByObjective{Epsilon: 1, Delta: 1e-9}).Release(context.Background())
	check(err)
	margins, err := r.Value.Margins(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println(r.Value.Classes[1], "for no hours:", margins[0] > 0, "and for ten:", margins[100] > 0)
	// Output:
	// yes for no hours: false and for ten: true
}

// Scores of every class.
func ExampleGradientModel() {
	rows := hoursAndGrades()
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitConvex(nil, dpkit.ByGradient{Epsilon: 2, Delta: 1e-6}).Release(context.Background())
	check(err)
	scores, err := r.Value.Scores(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println(r.Value.Classes, "ten hours are rather a distinction than a fail:", scores[2][100] > scores[0][100])
	// Output:
	// [fail pass distinction] ten hours are rather a distinction than a fail: true
}

// The most probable class of each row, by its place among the classes.
func ExampleMultinomialModel() {
	rows := hoursAndGrades()
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitMultinomial(dpkit.ByObjective{Epsilon: 2, Delta: 1e-6}).Release(context.Background())
	check(err)
	classes, err := r.Value.Predict(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println("no hours:", r.Value.Classes[classes[0]]+",", "ten:", r.Value.Classes[classes[100]])
	// Output:
	// no hours: fail, ten: distinction
}

// Rates of a count, and how far they are off.
func ExampleRateModel() {
	rows := hoursOf(frames.NumericLabel("mistakes", 0, 20), func(_ int, hours float64) float64 { return float64(int(10 - hours)) })
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitPoisson(dpkit.PoissonLoss{Rate: 5}, dpkit.ByObjective{Epsilon: 2, Delta: 1e-9}).Release(context.Background())
	check(err)
	rates, err := r.Value.Predict(context.Background(), frames.Public(rows))
	check(err)
	deviance, err := r.Value.Deviance(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println("fewer mistakes after ten hours:", rates[100] < rates[0], "deviance below 2:", deviance < 2)
	// Output:
	// fewer mistakes after ten hours: true deviance below 2: true
}

// Of a label of two classes a link that is known gives probabilities, not directions alone.
func ExampleLink() {
	session, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	check(err)
	for _, link := range []dpkit.Link{dpkit.LinkUnknown, dpkit.LinkLogistic, dpkit.LinkProbit} {
		_, err := session.Data().FitUnbounded(dpkit.UnboundedLinear{Unbounded: dpkit.Unbounded{Epsilon: 3, Delta: 1e-6}, Link: link}).Cost()
		fmt.Printf("%q, of a number: %t\n", link, err == nil)
	}
	// Output:
	// "", of a number: true
	// "logistic", of a number: false
	// "probit", of a number: false
}

// A model of rows without bounds says when its noise is too large for it to be used.
func ExampleUnboundedModel() {
	session, err := dpkit.Demo(salesFrame(), 1, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().FitUnbounded(dpkit.UnboundedLinear{Unbounded: dpkit.Unbounded{Epsilon: 3, Delta: 1e-6}}).Release(context.Background())
	check(err)
	fmt.Printf("refused: %t, relative error of the moments below 0.1: %t\n", r.Value.Refused != "", r.Value.Noise < 0.1)
	// Output:
	// refused: false, relative error of the moments below 0.1: true
}

// Where a model came from goes with it into its file.
func ExampleProvenance() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().OneHot().Impute(dpkit.Midpoint{}).Scale().FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	came := r.Value.Provenance
	fmt.Println(came.Release)
	fmt.Println("not private:", came.NotPrivate != "", "must stand out:", came.Weak())
	// Output:
	// FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-06})
	// not private: true must stand out: true
}

// What a release cost each person is sealed until its curator opens it.
func ExampleAudit() {
	session, err := dpkit.Demo(halves(1000), 1, dpkit.AddRemove)
	check(err)
	gram := session.Data().Scale().Gram(dpkit.Target{Epsilon: 1, Delta: 1e-6})
	r, err := gram.Release(context.Background())
	check(err)
	audit, err := gram.Audit(context.Background(), r.Value)
	check(err)
	fmt.Println(audit.Losses)
	// Output:
	// for the curator only: use Open
}

// A released value says what it promises wherever it is printed or stored.
func ExampleProvenance_Promise() {
	o := dpkit.Provenance{Release: "Mean(Target{ε = 1, δ = 1e-06})", NotPrivate: "a demonstration"}
	fmt.Println(o.Promise())
	// Output:
	// NOT PRIVATE: a demonstration
}
