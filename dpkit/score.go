package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/scores"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Score releases how good a released model is on the rows of the chain, which it must not have seen: on the other side of the
// [Pipeline.Holdout] whose one side it was fitted to.
//
//	train, test := session.Data().Holdout(0.2)
//	model, err := train.Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6}).Release(ctx)
//	score, err := test.Score(target, model.Value).Release(ctx)
//
// Of classes it tells the accuracy and, where the model has probabilities, the log loss; of two classes the ROC curve, AUC and calibration
// too, of one histogram of the scores by label; of a number RMSE and the mean absolute error, both clamped to the label's bounds. All of it
// is one draw of Gaussian noise, which everything that is read off it shares, with intervals that cover the noise
// (docs/theory/tables.md#scores-of-models). The model is a released value: what it predicts of a row costs nothing, and it brings the steps
// of its own chain, so that the chain here holds rows as they were before those.
//
// A model of the same data that was not fitted to the other side is refused: on rows that it has seen it looks better than it is. Beside a
// model that no private release made the guarantee is conditional: it must not depend on these rows.
//
//go:noinline
func (p Pipeline) Score(t Target, model Predictor) Plan[Score] {
	return newPlan[Score](p, scores.Release{Target: t, Model: models.NewCandidate(model)})
}

// The measures of a [Score], for its method Measure.
const (
	ScoreAccuracy = scores.Accuracy // share of the rows whose class is predicted
	ScoreLogLoss  = scores.LogLoss  // mean of it, of probabilities that are clipped to [0.01, 0.99]
	ScoreAUC      = scores.AUC      // chance that a row of the second class has a higher score than one of the first, ties counted half
	ScoreRMSE     = scores.Squared
	ScoreAbsolute = scores.Absolute // mean absolute error
)

// Score is how good a model is on rows, in one release.
//
// Its fields:
//
//	Model    string // what was scored
//	Label    string
//	Classes  []string // none of a number
//	Rows     int      // places of rows, public
//	Probable bool     // the model has probabilities of classes
//	Range    float64  // of a number: that of the label's bounds, which errors are clamped to
//	// Sums are those of each of Measures over the rows, in [0, 1] a row, with noise; Sigma is its standard deviation, there and on each count.
//	Measures []string
//	Sums     []float64
//	Sigma    float64
//	// Present is the noisy number of rows that are there, where a step may have removed some; nil: all of Rows are.
//	Present *float64
//	// Bins are, of two classes, noisy numbers of rows of the first and of the second, by their scores in bins of equal width over [0, 1].
//	Bins [][]float64
//	Provenance
//
// Its methods:
//
//	Calibration(level float64) ([]ScoreBin, error)
//		Calibration is, for each bin of scores, the share of its rows that are of the second class, with an interval of that
//		level: near the bin's scores where these are probabilities that hold.
//	Gota() dataframe.DataFrame
//		Gota is the score as a gota frame, a row for each measure: "measure", "value", "low" and "high" (of 0.95), and what the
//		release promises, as Estimates.Gota has it.
//	Measure(name string, level float64) (ScoreMeasure, error)
//		Measure is a measure with an interval that holds that of the rows with the given probability, 0 < level < 1, of the
//		noise alone: not of how these rows were drawn.
//	Names() []string
//		Names are what the score tells, by the names that Measure knows: of classes accuracy, of two of them AUC, and log loss
//		where the model has probabilities; of a number RMSE and mean absolute error.
//	ROC(level float64) ([]ScorePoint, error)
//		ROC is the curve of two classes at the edges of the bins, from the threshold 1 down to 0, each share with an interval of
//		that level (docs/theory/tables.md#scores-of-models).
type Score = scores.Score

// ScoreMeasure is a number with its interval.
//
// Its fields:
//
//	Value, Low, High float64
type ScoreMeasure = scores.Measure

// ScorePoint is a point of the ROC curve: of the rows whose score is at least Threshold, which would be taken for the second class.
//
// Its fields:
//
//	Threshold     float64
//	FalsePositive ScoreMeasure // share of the first class
//	TruePositive  ScoreMeasure // share of the second
type ScorePoint = scores.Point

// ScoreBin is a bin of scores with the share of its rows that are of the second class.
//
// Its fields:
//
//	Lo, Hi float64
//	Rows   float64 // in it, with noise
//	Share  ScoreMeasure
type ScoreBin = scores.Bin

// unseen refuses the score of a model on rows that it was fitted to, by what the model says of its release.
func (pl *plan) unseen(q quote) error {
	m, ok := pl.m.(scores.Release)
	if !ok {
		return nil
	}
	dataset, part, demonstration := m.Model.Part()
	s := pl.p.s
	ours := s.mode != modePrivate && demonstration
	if s.mode == modePrivate {
		ours = dataset != "" && dataset == s.ledger.Config().Dataset
	}
	if !ours {
		return nil
	}
	h, _, split := q.holdout()
	switch {
	//dp:advises a score on rows of the fit is private, and says too much of the model
	case !split:
		return fmt.Errorf("the model is of these data, and on rows that it was fitted to it looks better than it is: train, test := Data().Holdout(0.2); fit it to train, and score it on test: %w", ErrOrder)
	//dp:advises likewise
	case part != partName(h.Other(), s.version):
		if part == "" {
			part = "all rows"
		}
		return fmt.Errorf("the model is of %s, want one that was fitted to the %s, so that it has not seen the rows here: %w", part, partName(h.Other(), s.version), ErrOrder)
	}
	return nil
}
