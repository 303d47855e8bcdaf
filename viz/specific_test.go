package viz

import (
	"math"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// handBurned is a ledger with three charges.
func handBurned() (ledger.Status, []ledger.Entry) {
	s, _ := handWatched()
	s.Project = nil
	s.Warnings = nil
	var es []ledger.Entry
	for i, mu := range []float64{0.1, 0.25, 0.2} {
		es = append(es, ledger.Entry{
			Seq: 2*i + 1, Name: []string{"means", "model", "counts"}[i], Mu: mu, State: ledger.Stored, When: time.Date(2025, 3, 1+i, 9, 30, 0, 0, time.UTC),
			Guarantee: accountant.Guarantee{Budget: accountant.Budget{Epsilon: []float64{0.42, 1.17, 0.91}[i], Delta: 1e-6}, Neighbours: s.Neighbours, Scope: s.Scope},
		})
	}
	return s, es
}

// handScored are two models on rows made by a formula.
func handScored() []Scored {
	good, poor := Scored{Name: "no privacy"}, Scored{Name: "ε = 0.5"}
	for i := range 400 {
		t := float64(i) / 400
		p := 1 / (1 + math.Exp(-8*(t-0.5)))
		y := math.Mod(float64(i)*0.6180339887498949, 1) < p
		good.Scores, good.Positive = append(good.Scores, p), append(good.Positive, y)
		poor.Scores, poor.Positive = append(poor.Scores, min(1, 0.4+0.5*math.Mod(float64(i)*0.7548776662466927, 1)*t)), append(poor.Positive, y)
	}
	return []Scored{good, poor}
}

func handSpectrum() []float64 {
	var out []float64
	for i := range 24 {
		out = append(out, 0.3*math.Exp(-0.4*float64(i))+0.0003*float64(24-i)-0.001)
	}
	return out
}

func handLinear() dpkit.LinearModel {
	m := dpkit.LinearModel{
		Label: "income", Lo: 0, Hi: 100, Columns: []string{"age", "hours-per-week", "education-num", "sex=Male"},
		Coef: []float64{12.5, 3.25, -8, 0.5}, Intercept: 31,
	}
	m.Law = handLaw(1.5, 2, 0.75, 3, 1)
	return m
}

func handLosses() []Losses {
	members, others := Losses{Name: "members"}, Losses{Name: "others"}
	for i := range 300 {
		t := float64(i) / 300
		members.Values = append(members.Values, 0.05+0.4*t*t*t)
		others.Values = append(others.Values, 0.02+0.1*t)
	}
	members.Values = append(members.Values, math.Inf(1))
	return []Losses{members, others}
}

func publicPeople(t testing.TB) *frames.PublicFrame {
	t.Helper()
	f, err := datasets.SyntheticAdult(200, 7)
	if err != nil {
		t.Fatal(err)
	}
	return frames.Public(f)
}

func gaussian(sigma float64) accountant.Event {
	return accountant.Gaussian{Sensitivity: 1, Sigma: sigma, Neighbours: accountant.AddRemove}
}

// specific are the views of one purpose that the golden files hold.
func specific(t testing.TB) map[string]View {
	t.Helper()
	const rel = accountant.AddRemove
	one := NamedEvent{Name: "Gaussian, σ = 4, 16 times", Event: accountant.Repeat(gaussian(4), 16)}
	sgd := NamedEvent{Name: "DP-SGD, q = 0.01, 1000 steps", Event: accountant.Repeat(accountant.SubsampledGaussian{C: 1, Sigma: 1, Sampling: accountant.Sampling{Kind: accountant.Poisson, Rate: 0.01}, Neighbours: rel}, 1000)}
	laplace := NamedEvent{Event: accountant.PureDP{Epsilon: 0.5, Neighbours: rel}}
	s, es := handBurned()
	weak := s
	weak.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{promise}}
	rows := publicPeople(t)
	accuracy := Axis{Name: "accuracy", Unit: "%"}
	return map[string]View{
		"rdp":                  RDP(rel, one, sgd, laplace, NamedEvent{Name: "none"}),
		"profiles":             Profiles(rel, one, sgd, laplace),
		"accountants":          Accountants(sgd, rel, 1e-6),
		"accountants-gaussian": Accountants(one, rel, 1e-6),
		"burndown":             BurnDown(s, es),
		"burndown-conditional": BurnDown(weak, es),
		"burndown-none":        BurnDown(ledger.Status{}, nil),
		"utility": Utility(accuracy, "Means of 4 releases with their 95 % intervals.",
			MeanBand("a", 0.95, []float64{0.1, 1, 10}, [][]float64{{60, 70, 72, 66}, {80, 81, 79, 82}, {84, 84, 84.5, 84.2}})),
		"pdp":                 PDP(1, handLosses()...),
		"scree":               Scree(handSpectrum()),
		"filters":             Filters(1, handSpectrum(), dpkit.SoftThreshold{Lambda: 0.01}, dpkit.Tikhonov{Lambda: 0.01}, dpkit.Ramp{Start: 0.005, Width: 0.02}, dpkit.Tikhonov{}),
		"classifier":          Classifier(append(handScored(), Scored{Name: "one class", Scores: []float64{1}, Positive: []bool{true}})...),
		"roc":                 ROC(handScored()...),
		"precision":           PrecisionRecall(handScored()...),
		"calibration":         Calibration(handScored()...),
		"schema":              Schema(rows.Schema()),
		"rows":                Rows(rows, 3),
		"missing":             Missing(rows),
		"coefficients-linear": LinearCoefficients(handLinear(), 0),
		"estimates":           Estimates(dpkit.Estimates{Of: "count", Names: []string{"clerk", "smith", "none"}, Values: []float64{340, 12, -3}, Sigma: []float64{5, 5, 5}}),
		"estimates-bins": Estimates(dpkit.Estimates{
			Of: "count", Names: []string{"below 0.25", "0.25 to 0.75", "0.75 to 1", "1 and above", "(missing)"}, Values: []float64{120, 340, 95, 20, 7}, Sigma: []float64{5, 5, 5, 5, 5},
		}),
		"estimates-sizes": Estimates(dpkit.Estimates{
			Of: "mean", Names: []string{"income", "age", "share", "debt"}, Values: []float64{52000, 41.2, 0.31, -8000}, Sigma: []float64{900, 0.8, 0.02, 700},
		}),
		"estimates-year": Estimates(yearOfDays()),
		"groups":         Groups(handTable([]string{"ward"}, []string{"surgery", "medicine", "children", "eyes"})),
		"groups-heat":    Groups(handTable([]string{"ward", "back"}, []string{"surgery", "medicine", "children", "eyes"}, []string{"no", "yes"})),
		"groups-many":    Groups(handTable([]string{"ward", "back", "year"}, []string{"surgery", "medicine", "children", "eyes"}, []string{"no", "yes"}, years(8))),
		"groups-none":    Groups(handTable(nil)),
	}
}

// yearOfDays are counts of every day of a year.
func yearOfDays() dpkit.Estimates {
	e := dpkit.Estimates{Of: "count"}
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 365 {
		e.Names = append(e.Names, day.AddDate(0, 0, i).Format(time.DateOnly))
		e.Values = append(e.Values, math.Round(200+120*math.Sin(float64(i)/58)-60*float64((i%7)/5)))
		e.Sigma = append(e.Sigma, 8)
	}
	return e
}
