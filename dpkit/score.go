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
type Score = scores.Score

// ScoreMeasure is a number with its interval.
type ScoreMeasure = scores.Measure

// ScorePoint is a point of the ROC curve: of the rows whose score is at least Threshold, which would be taken for the second class.
type ScorePoint = scores.Point

// ScoreBin is a bin of scores with the share of its rows that are of the second class.
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
	case !split:
		return fmt.Errorf("the model is of these data, and on rows that it was fitted to it looks better than it is: train, test := Data().Holdout(0.2); fit it to train, and score it on test: %w", ErrOrder)
	case part != partName(h.Other(), s.version):
		if part == "" {
			part = "all rows"
		}
		return fmt.Errorf("the model is of %s, want one that was fitted to the %s, so that it has not seen the rows here: %w", part, partName(h.Other(), s.version), ErrOrder)
	}
	return nil
}
