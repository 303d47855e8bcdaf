package relativegaussian

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/federated"
	"github.com/dpkit-go/dpnb/frames"
)

// Program is the two-node experiment with real releases: (ε, δ) end to end for every node, public parameters, discrete noise, and
// one ledger for each node.
type Program struct {
	Split   Split
	Noise   federated.GradientNoise
	Epsilon float64
	Delta   float64
	Rounds  int
	Clip    float64 // of ClippedNoise, see [federated.Training]
	Seed    uint64  // of the split, and of a demonstration's noise
	// Ledgers is a folder for the nodes' ledgers; "": a demonstration, whose noise is reproducible and protects nobody.
	Ledgers string
	// Rows bounds the rows that are used; 0: all.
	Rows int
	// MadeUp uses rows of the shape of ijcnn1 that were made up, as where DPNB_DATA is not set.
	MadeUp bool
}

// Shift is by how much the program's Bias moves the labels of the two nodes apart, up and down.
const Shift = 0.5

// ProgramRidge is the ridge of the program, in units of R̃². It is also all that the relative sensitivity rests on: columns of ijcnn1
// are collinear, so that a private bound on the least eigenvalue would find little more.
const ProgramRidge = 0.03

// source returns the rows of ijcnn1, or where DPNB_DATA is not set rows of the same shape that were made up.
func (p Program) source(ctx context.Context) (data, string, error) {
	if os.Getenv("DPNB_DATA") != "" && !p.MadeUp {
		r, err := load(ctx, p.Rows, p.Seed)
		return r, "ijcnn1", err
	}
	r := madeUp()
	if p.Rows > 0 {
		n := min(r.rows(), p.Rows)
		r.x, r.y = r.x[:n*r.d:n*r.d], r.y[:n:n]
	}
	return r, "made-up rows", nil
}

// madeUp are the made-up rows, which every node and every judge of every program asks for.
var madeUp = sync.OnceValue(func() data {
	const n = 60_000
	rng := rand.New(rand.NewPCG(22, 22))
	r := data{d: 22}
	for range n {
		x := make([]float64, r.d)
		x[rng.IntN(10)] = 1
		for j := 10; j < r.d; j++ {
			x[j] = max(-1, min(1, 0.3*rng.NormFloat64()))
		}
		r.add(x, math.Copysign(1, x[0]+x[11]-2*x[12]+0.4*rng.NormFloat64()-0.7))
	}
	return r
})

// frames returns the rows of both nodes.
func (p Program) frames(ctx context.Context) ([2]*frames.Frame, string, error) {
	var out [2]*frames.Frame
	r, name, err := p.source(ctx)
	if err != nil {
		return out, "", err
	}
	split, bound := p.Split, 1.0
	if split == Bias {
		split, bound = Random, 1+Shift
	}
	parts, _, err := divide(r, split, p.Seed)
	if err != nil {
		return out, "", err
	}
	var columns []frames.Column
	for j := range r.d {
		columns = append(columns, frames.Numeric(fmt.Sprintf("x%d", j+1), -1, 1).Clamped())
	}
	schema, err := frames.NewSchema(append(columns, frames.NumericLabel("y", -bound, bound))...)
	if err != nil {
		return out, "", err
	}
	for k, part := range parts {
		b := &frames.Block{Rows: part.rows(), Cols: part.d, X: part.x, Y: part.y}
		if p.Split == Bias {
			for i := range b.Y {
				b.Y[i] += Shift * float64(1-2*k)
			}
		}
		if out[k], err = frames.FromBlock(schema, b); err != nil {
			return out, "", err
		}
	}
	return out, name, nil
}

// local are the node's public parameters.
func (p Program) local() federated.Training {
	o := federated.Training{Epsilon: p.Epsilon, Delta: p.Delta, Rounds: p.Rounds, Noise: p.Noise, Ridge: ProgramRidge}
	if p.Noise == federated.ClippedNoise {
		o.Clip = p.Clip
	}
	return o
}

// pipeline is every node's chain of public steps: rows are clipped to norm 1.5, which few of ijcnn1 exceed.
func pipeline(s *dpkit.Session) dpkit.Pipeline { return s.Data().ClipNorm(1.5) }

// Node takes part as node k, 0 or 1, at the end of a link.
func (p Program) Node(ctx context.Context, k int, link federated.Link) (dpkit.Result[federated.Model], error) {
	var none dpkit.Result[federated.Model]
	if k != 0 && k != 1 {
		return none, fmt.Errorf("relativegaussian: node %d: want 0 or 1", k)
	}
	rows, _, err := p.frames(ctx)
	if err != nil {
		return none, err
	}
	s, err := p.session(rows[k], k)
	if err != nil {
		return none, err
	}
	if p.Ledgers != "" {
		defer func() { _ = s.Close() }()
	}
	return federated.Join(ctx, link, pipeline(s), p.local())
}

func (p Program) session(rows *frames.Frame, k int) (*dpkit.Session, error) {
	if p.Ledgers == "" {
		return dpkit.Demo(rows, p.Seed+uint64(k), dpkit.ReplaceOne)
	}
	// The relative Gaussian has no μ of its own: its ledger has to cover it by a Gaussian, outside a failure.
	return dpkit.Create(rows, dpkit.Options{
		Ledger: filepath.Join(p.Ledgers, fmt.Sprintf("node%d.ledger", k+1)), Budget: dpkit.Budget{Epsilon: 2 * p.Epsilon, Delta: 4 * p.Delta},
		Neighbours: dpkit.ReplaceOne, Dataset: fmt.Sprintf("rows of node %d", k+1), Reserve: p.Delta, Rehearsal: true,
	})
}

// Report is the outcome of the program. Its errors are over rows that the demonstration declares public.
type Report struct {
	Data    string
	Outcome federated.Outcome
	Results []dpkit.Result[federated.Model] // of the nodes within this process
	RMSE    float64                         // of the model, over all rows
	Best    float64                         // of least squares on all rows, without noise
}

// Train leads the training over two links.
func (p Program) Train(ctx context.Context, links []federated.Link) (federated.Outcome, error) {
	return federated.Train(ctx, links, federated.Options{Rounds: p.Rounds})
}

// Run trains with two goroutines as nodes.
func (p Program) Run(ctx context.Context) (Report, error) {
	links, ends := make([]federated.Link, 2), make([]federated.Link, 2)
	results, errs := make([]dpkit.Result[federated.Model], 2), make(chan error, 2)
	for k := range links {
		links[k], ends[k] = federated.Pipe()
		go func() {
			var err error
			results[k], err = p.Node(ctx, k, ends[k])
			if err != nil { // before or after the conversation
				_ = ends[k].Close()
			}
			errs <- err
		}()
	}
	out, err := p.Train(ctx, links)
	for _, l := range links {
		if err != nil {
			_ = l.Close()
		}
	}
	for range links {
		if e := <-errs; e != nil && err == nil {
			err = e
		}
	}
	if err != nil {
		return Report{}, err
	}
	r, err := p.Judge(ctx, results[0].Value.LinearModel)
	r.Outcome, r.Results = out, results
	return r, err
}

// Judge measures a model on all rows, which the demonstration declares public.
func (p Program) Judge(ctx context.Context, m dpkit.LinearModel) (Report, error) {
	rows, name, err := p.frames(ctx)
	if err != nil {
		return Report{}, err
	}
	both, err := frames.Concat(rows[0], rows[1])
	if err != nil {
		return Report{}, err
	}
	all, err := frames.Collect(ctx, both)
	if err != nil {
		return Report{}, err
	}
	public := frames.Public(all)
	s, err := dpkit.OnPublic(public)
	if err != nil {
		return Report{}, err
	}
	exact, err := pipeline(s).FitLinear(dpkit.BestLinear{}).Release(ctx)
	if err != nil {
		return Report{}, err
	}
	r := Report{Data: name}
	if r.RMSE, err = m.RMSE(ctx, public); err != nil {
		return r, err
	}
	r.Best, err = exact.Value.RMSE(ctx, public)
	return r, err
}
