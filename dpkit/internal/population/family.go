package population

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
)

// family is what public facts leave open: by how much rows are below their bound, how fast their eigenvalues fall, in which of their
// directions the classes differ, and by how much. The reference population is about the middle of it. The ranges come from pima, the white
// wines, housing and bike, whose measurements are all within the middle nine tenths
// (docs/theory/mechanisms.md#what-a-model-is-predicted-to-be-worth).
var family = struct{ fills, decays, tilts, deviations, shifts []float64 }{
	fills:      []float64{0.02, numberFill, 0.25}, // of numbers; that of blocks follows as its square root
	decays:     []float64{1, 2},
	tilts:      []float64{0, 1, 2},
	deviations: []float64{1, deviation, 4},
	shifts:     []float64{0, shift / deviation}, // in units of the deviation
}

// mostFill is that of blocks at most: their mean is not at 0.
const mostFill = 0.9

// members calls each for all members of the family.
func members(d int, blocks, r, constant float64, each func(Rows, Margins)) {
	for _, fill := range family.fills {
		ofBlocks := min(blockFill*math.Sqrt(fill/numberFill), mostFill)
		for _, decay := range family.decays {
			for _, tilt := range family.tilts {
				rows := Shape{Fill: fill + (ofBlocks-fill)*blocks, Decay: decay, Tilt: tilt}.Rows(d, r, constant)
				for _, dev := range family.deviations {
					for i, by := range family.shifts {
						if i > 0 && constant == 0 {
							continue
						}
						each(rows, Margins{Shift: by * dev, Deviation: dev})
					}
				}
			}
		}
	}
}

// Predict is the prediction of a classifier of d columns of norm at most r, a share of whose units are one-hot blocks, and a constant feature:
// what it is worth on the reference population, and on each member of the family the accuracy that the noise takes.
func Predict(d int, blocks, r, constant float64, worth func(Rows, Margins) mechanism.Classes) mechanism.Prediction {
	p := mechanism.OfClasses(worth(Classified(d, blocks, r, constant)))
	if p.Known() {
		p.Over = func() []float64 {
			var taken []float64
			members(d, blocks, r, constant, func(rows Rows, m Margins) {
				c := worth(rows, m)
				taken = append(taken, max(c.Exact-c.Accuracy, 0))
			})
			slices.Sort(taken)
			return taken
		}
	}
	return p
}
