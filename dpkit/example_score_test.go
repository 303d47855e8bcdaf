package dpkit_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// scored is a model that was fitted to one side of the people, and its score on the other.
func scored() dpkit.Score {
	ctx := context.Background()
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 40), frames.Label("passed", "no", "yes"))
	check(err)
	text := strings.Builder{}
	text.WriteString("hours,passed\n")
	for i := range 5000 {
		hours, passed := i*7919%41, "no"
		if hours+i*104729%21 > 30 {
			passed = "yes"
		}
		fmt.Fprintf(&text, "%d,%s\n", hours, passed)
	}
	rows, err := frames.ParseCSV(strings.NewReader(text.String()), "exams", schema, frames.CSVOptions{Header: true})
	check(err)
	session, err := dpkit.Demo(rows, 7, dpkit.ReplaceOne)
	check(err)
	train, test := session.Data().Holdout(0.2)
	model, err := train.Scale().FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}).Release(ctx)
	check(err)
	score, err := test.Score(dpkit.Target{Epsilon: 1, Delta: 1e-6}, model.Value).Release(ctx)
	check(err)
	return score.Value
}

// A model is fitted to four fifths of the people and scored on the others. In a ledger both together cost what the dearer of them does.
func ExamplePipeline_Holdout() {
	score := scored()
	accuracy, err := score.Measure(dpkit.ScoreAccuracy, 0.95)
	check(err)
	fmt.Printf("%d rows, accuracy %.2f\n", score.Rows, accuracy.Value)
	// Output: 1000 rows, accuracy 0.87
}

// All measures are read off one release.
func ExamplePipeline_Score() {
	score := scored()
	for _, name := range []string{dpkit.ScoreAccuracy, dpkit.ScoreLogLoss, dpkit.ScoreAUC} {
		var m dpkit.ScoreMeasure // with its interval
		m, err := score.Measure(name, 0.95)
		check(err)
		fmt.Printf("%-8s %.2f, in [%.2f, %.2f]\n", name, m.Value, m.Low, m.High)
	}
	curve, err := score.ROC(0.95)
	check(err)
	var at dpkit.ScorePoint = curve[10]
	fmt.Printf("score ≥ %.1f: %.2f of those who passed and %.2f of the others\n", at.Threshold, at.TruePositive.Value, at.FalsePositive.Value)
	bins, err := score.Calibration(0.95)
	check(err)
	var last dpkit.ScoreBin = bins[len(bins)-1]
	fmt.Printf("scores from %.2f: %.2f passed\n", last.Lo, last.Share.Value)
	// Output:
	// accuracy 0.87, in [0.85, 0.88]
	// log loss 0.25, in [0.17, 0.32]
	// AUC      0.98, in [0.85, 1.00]
	// score ≥ 0.5: 1.00 of those who passed and 0.09 of the others
	// scores from 0.95: 1.00 passed
}

// Of a model of a number the score has its errors, in the number's units.
func ExampleScore() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 40), frames.NumericLabel("points", 0, 100))
	check(err)
	text := strings.Builder{}
	text.WriteString("hours,points\n")
	for i := range 5000 {
		hours := i * 7919 % 41
		fmt.Fprintf(&text, "%d,%d\n", hours, 2*hours+i*104729%20)
	}
	rows, err := frames.ParseCSV(strings.NewReader(text.String()), "exams", schema, frames.CSVOptions{Header: true})
	check(err)
	session, err := dpkit.Demo(rows, 3, dpkit.ReplaceOne)
	check(err)
	train, test := session.Data().Holdout(0.2)
	model, err := train.Scale().FitLinear(dpkit.BestLinear{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	score, err := test.Score(dpkit.Target{Epsilon: 4, Delta: 1e-6}, model.Value).Release(context.Background())
	check(err)
	for _, name := range []string{dpkit.ScoreRMSE, dpkit.ScoreAbsolute} {
		m, err := score.Value.Measure(name, 0.95)
		check(err)
		fmt.Printf("%s: %.1f\n", name, m.Value)
	}
	// Output:
	// RMSE: 5.3
	// mean absolute error: 5.1
}
