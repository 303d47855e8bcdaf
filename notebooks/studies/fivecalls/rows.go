package fivecalls

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/frames"
)

// Machines are invented rows, as the log of a factory has them: a row is a machine's shift, with the readings of many sensors in [−1, 1]
// and what was found afterwards. A few states say all about a shift, and each sensor shows a mixture of them beside noise of its own, about
// a value where it rests. Readings are lost, and shifts that ended badly are in the log several times: whoever looked into them sent
// them again.
type Machines struct {
	Rows     int     `json:"rows"`      // of the log, copies included
	Sensors  int     `json:"sensors"`   // columns
	States   int     `json:"states"`    // the rank beside where the sensors rest
	Signal   float64 `json:"signal"`    // deviation of a reading by the states
	Noise    float64 `json:"noise"`     // its deviation besides
	Rest     float64 `json:"rest"`      // how far from 0 readings are, about
	Gaps     float64 `json:"gaps"`      // share of the log's readings that are lost
	HeldGaps float64 `json:"held_gaps"` // the same of rows that are held back
	Copies   int     `json:"copies"`    // how often a shift is in the log that ended badly: a machine that failed, or wear above 2
	Wear     bool    `json:"wear"`      // the label is the wear, a number, in place of whether the machine failed
}

// heldRows are held back.
const heldRows = 4000

// population is what all shifts share.
type population struct {
	Machines
	rest       []float64
	directions [][]float64
	effect     []float64 // of a state on wear
}

func (m Machines) population() population {
	random := rand.New(rand.NewPCG(5, 0)) // nothing here is private
	p := population{Machines: m}
	for range m.Sensors {
		p.rest = append(p.rest, m.Rest*(0.7+0.6*random.Float64())*float64(2*random.IntN(2)-1))
	}
	for k := range m.States {
		v := make([]float64, m.Sensors)
		for j := range v {
			v[j] = m.Signal * random.NormFloat64() / math.Sqrt(float64(m.States))
		}
		p.directions = append(p.directions, v)
		p.effect = append(p.effect, []float64{2, -1.5, 1, 0.5}[k%4])
	}
	return p
}

// shift draws one.
func (p population) shift(random *rand.Rand) (x []float64, y float64) {
	z := make([]float64, p.States)
	wear := 0.0
	for k := range z {
		z[k] = random.NormFloat64()
		wear += p.effect[k] * z[k]
	}
	x = make([]float64, p.Sensors)
	for j := range x {
		v := p.rest[j] + p.Noise*random.NormFloat64()
		for k := range z {
			v += z[k] * p.directions[k][j]
		}
		if x[j] = min(max(v, -1), 1); random.Float64() < p.Gaps {
			x[j] = math.NaN()
		}
	}
	if p.Wear {
		return x, min(max(wear+0.3*random.NormFloat64(), -8), 8)
	}
	if random.Float64() < 1/(1+math.Exp(-2*wear-0.5)) {
		y = 1
	}
	return x, y
}

// Log draws the log, and shifts that are held back, each once.
func (m Machines) Log() (log, held *frames.Frame, err error) {
	p := m.population()
	random := rand.New(rand.NewPCG(1, 1))
	b := &frames.Block{Cols: m.Sensors}
	for b.Rows < m.Rows {
		x, y := p.shift(random)
		times := 1
		if !m.Wear && y == 1 || m.Wear && y > 2 {
			times = m.Copies
		}
		for range min(times, m.Rows-b.Rows) {
			b.X, b.Y = append(b.X, x...), append(b.Y, y)
			b.Rows++
		}
	}
	p.Gaps = m.HeldGaps
	h := &frames.Block{Cols: m.Sensors, Rows: heldRows}
	for range h.Rows {
		x, y := p.shift(random)
		h.X, h.Y = append(h.X, x...), append(h.Y, y)
	}
	var cols []frames.Column
	for j := range m.Sensors {
		cols = append(cols, frames.Numeric(fmt.Sprintf("sensor %d", j+1), -1, 1).MayMiss())
	}
	label := frames.Label("failed", "no", "yes")
	if m.Wear {
		label = frames.NumericLabel("wear", -8, 8)
	}
	schema, err := frames.NewSchema(append(cols, label)...)
	if err != nil {
		return nil, nil, err
	}
	if log, err = frames.FromBlock(schema, b); err != nil {
		return nil, nil, err
	}
	held, err = frames.FromBlock(schema, h)
	return log, held, err
}
