package dpkit

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/scores"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// auditedScores have a model that is sure of one class, and a row of the other: under replace-one it was of that class.
func auditedScores() (out []auditCase) {
	classes := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.Label("y", "no", "yes")))
	number := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.NumericLabel("y", -1, 1)))
	target := auditedTarget
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		last := scores.Bins - 1
		c := auditCase{
			name: "score of classes/" + rel.String(), schema: classes, rel: rel, sides: pairOf([]float64{1, 1}, []float64{1, 0}, times(5, 1, 1)...),
			plan: func(p Pipeline) *plan { return p.Score(target, tiltedModel(p, 0, 0, 10)).plan() }, draws: 3000,
			told: tells(func(s Score) float64 { return s.Sums[0] - s.Sums[1] + s.Bins[1][last] - s.Bins[0][last] }),
		}
		n := auditCase{
			name: "score of a number/" + rel.String(), schema: number, rel: rel, sides: pairOf([]float64{1, 1}, []float64{1, -1}, times(5, 1, 1)...),
			plan: func(p Pipeline) *plan { return p.Score(target, constantModel(p, -1)).plan() }, draws: 3000,
			told: tells(func(s Score) float64 { return s.Sums[0] + s.Sums[1] }),
		}
		if rel == AddRemove {
			c.told = tells(func(s Score) float64 { return s.Sums[0] + s.Bins[1][last] })
			c.sides[1][0] = nil
			out = append(out, c)
			continue
		}
		out = append(out, c, n)
	}
	return out
}

// constantModel predicts a number whatever the row is.
func constantModel(p Pipeline, v float64) LinearModel {
	label, _ := p.s.schema.Label()
	return LinearModel{
		Label: label.Name, Lo: label.Lo, Hi: label.Hi, Columns: []string{p.s.schema.Features()[0].Name}, Coef: []float64{0}, Intercept: v,
		Reader: models.Reader{Schema: p.s.schema, Maps: stage.RowMap{{Select: &stage.SelectOp{Columns: []int{0}}}}},
	}
}
