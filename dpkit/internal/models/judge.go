package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PenaltyUnit is the largest penalty of a row.
const PenaltyUnit = 1 << 20

// Judge holds the predictions of a model against the label of rows.
type Judge struct {
	of    predicts
	in    frames.Schema
	label frames.Column
	reads []string

	chances func(scores []float64) []float64
}

// Judge makes the judge of rows of a schema, which must be such as the model reads and have its label. Errors wrap [kind.ErrParameter],
// [stage.ErrColumn] or [stage.ErrOrder], and are of public facts.
func (c Candidate) Judge(in frames.Schema) (*Judge, error) {
	m, err := c.model()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, kind.ErrParameter)
	}
	j := &Judge{of: m.predicts(), in: in, chances: chances(m)}
	if j.of.refused != "" {
		return nil, fmt.Errorf("it is not to be used: %s: %w", j.of.refused, kind.ErrParameter)
	}
	if err := j.checkLabel(); err != nil {
		return nil, fmt.Errorf("%w: %w", err, stage.ErrColumn)
	}
	if _, err := j.of.read.open(in, j.of.columns); err != nil {
		return nil, err
	}
	if len(j.of.coef) == 0 || len(j.of.intercept) != len(j.of.coef) || slices.ContainsFunc(j.of.coef, func(w []float64) bool { return len(w) != j.of.columns }) {
		return nil, fmt.Errorf("its coefficients and columns do not fit together; store and read all of it: %w", kind.ErrParameter)
	}
	return j, j.checkFeatures()
}

func (j *Judge) checkLabel() error {
	label, ok := j.in.Label()
	switch {
	case !ok || label.Name != j.of.label:
		return fmt.Errorf("it predicts %q, which is not the label of these rows", j.of.label)
	case !slices.Equal(label.Levels, j.of.classes):
		return fmt.Errorf("label %q: got levels %q, want %q in this order: load the rows with the schema of the training rows", label.Name, label.Levels, j.of.classes)
	case len(label.Levels) == 0 && (label.NoBounds || !(label.Hi > label.Lo)):
		return errors.New("its label is a number without bounds, of which an error may be any: declare bounds")
	}
	j.label = label
	return nil
}

// checkFeatures reports columns that are not what the model was fitted to. A model brings the steps of its own chain.
func (j *Judge) checkFeatures() error {
	used := j.of.read.used()
	for i, want := range j.of.read.Schema.Features() {
		if !used[i] {
			continue
		}
		k, _ := j.in.FeatureIndex(want.Name) // it is there, with the same levels
		got := j.in.Features()[k]
		//dp:advises predictions are made of cells in other units: a score is as private, and of no use
		if len(want.Levels) == 0 && (got.NoBounds != want.NoBounds || !want.NoBounds && (got.Lo != want.Lo || got.Hi != want.Hi)) {
			return fmt.Errorf("feature %q: got bounds [%g, %g], want [%g, %g], in which it was fitted: a model brings the steps of its own chain, such as Scale; choose on rows as they were before those: %w",
				want.Name, got.Lo, got.Hi, want.Lo, want.Hi, stage.ErrOrder)
		}
		j.reads = append(j.reads, want.Name)
	}
	return nil
}

// Reads are the columns that the predictions depend on, the label not included.
func (j *Judge) Reads() []string { return j.reads }

// Label is what is predicted.
func (j *Judge) Label() frames.Column { return j.label }

// Lane returns a function of a row and its label: the penalty of the prediction, an integer from 0 to PenaltyUnit, whatever the row is.
// Of classes it is PenaltyUnit where the prediction is wrong, of a number the squared error in units of the label's range, both clamped
// to the label's bounds. A row of which the model makes no number is as wrong as can be: that it is such a row stays private. One lane
// is for one goroutine.
func (j *Judge) Lane() func(row []float64, y float64) int64 {
	scoresOf := j.scorer()
	return func(row []float64, y float64) int64 {
		scores, ok := scoresOf(row)
		if !ok {
			return PenaltyUnit
		}
		return j.penalty(j.of.answer(scores), y)
	}
}

// scorer returns a function of a row: the model's scores of it, good until the next call; ok is false where it makes no number of the row. It
// is for one goroutine.
func (j *Judge) scorer() func(row []float64) (scores []float64, ok bool) {
	t, err := j.of.read.open(j.in, j.of.columns)
	z, scores := make([]float64, j.of.columns), make([]float64, len(j.of.coef))
	return func(row []float64) ([]float64, bool) {
		if err != nil { // impossible: Judge opened it
			return nil, false
		}
		t.Map(z, row, 1)
		for k, coef := range j.of.coef {
			s := j.of.intercept[k]
			for i, v := range z {
				s += v * coef[i]
			}
			if math.IsNaN(s) {
				return nil, false
			}
			scores[k] = s
		}
		return scores, true
	}
}

func (j *Judge) penalty(predicted, y float64) int64 {
	if len(j.label.Levels) > 0 {
		if predicted == y {
			return 0
		}
		return PenaltyUnit
	}
	lo, width := j.label.Lo, j.label.Hi-j.label.Lo
	d := min(max((predicted-lo)/width, 0), 1) - min(max((y-lo)/width, 0), 1)
	if p := d * d * PenaltyUnit; p >= 0 && p <= PenaltyUnit {
		return int64(p)
	}
	return PenaltyUnit // no number
}
