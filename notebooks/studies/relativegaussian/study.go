package relativegaussian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// Method is a curve of the figures.
type Method string

// The methods of the paper's figures.
const (
	Exact    Method = "no noise"
	ClipLow  Method = "clip low (c/10)"
	Clip     Method = "clip (c)"
	ClipHigh Method = "clip high (10c)"
	Relative Method = "relative Gaussian"
	// Whitened is the relative Gaussian in the coordinates of the rows' covariance, with corrected constants: ours.
	Whitened Method = "relative Gaussian, whitened"
)

// Methods lists them.
var Methods = []Method{Exact, ClipLow, Clip, ClipHigh, Relative, Whitened}

// Constants say whose privacy constants a panel has.
type Constants string

const (
	// Paper: as printed. The relative sensitivity is Proposition 1's with its constant factors left out, and the noise on clipped
	// gradients is half the variance that replace-one needs: neither is private at the stated ε.
	Paper Constants = "paper"
	// Corrected: valid constants for both, at the same (α, ε) for each round.
	Corrected Constants = "corrected"
)

// Settings of the study.
type Settings struct {
	Runs  int    `json:"runs"`
	Steps int    `json:"steps"`
	Limit int    `json:"limit"` // rows; 0: all
	Seed  uint64 `json:"seed"`
}

// Full are the settings of the stored results.
func Full() Settings { return Settings{Runs: 5, Steps: 150, Seed: 1} }

// Ridge is the paper's μ_reg.
const Ridge = 0.03

// Results are the study's.
type Results struct {
	Settings Settings          `json:"settings"`
	Data     map[string]string `json:"data"` // SHA-256 of each file
	Rows     int               `json:"rows"`
	Panels   []Panel           `json:"panels"`
}

// Panel is one plot: the mean of the two nodes' objectives, less its least value, after each step.
type Panel struct {
	Split     Split     `json:"split"`
	Epsilon   float64   `json:"epsilon"` // of each round, at order 2
	Constants Constants `json:"constants"`
	Start     float64   `json:"start"`    // at θ = 0
	Distance  float64   `json:"gradient"` // largest norm of a node's own gradient at the common optimum
	Nodes     []Facts   `json:"nodes"`
	Curves    []Curve   `json:"curves"`
}

// Facts are what the methods read off a node.
type Facts struct {
	Rows     int       `json:"rows"`
	Clip     float64   `json:"clip"` // c
	Relative relative  `json:"relative"`
	Whitened *relative `json:"whitened,omitempty"`
	Refused  string    `json:"refused,omitempty"` // why there is no relative mechanism
}

// Curve is one method.
type Curve struct {
	Method Method    `json:"method"`
	Steps  []int     `json:"steps"`
	Mean   []float64 `json:"mean"`
	Lo     []float64 `json:"lo"` // least and largest of the runs, as in the paper
	Hi     []float64 `json:"hi"`
	Last   []float64 `json:"last"` // of every run: the mean over the last tenth of the steps
}

// Panel returns a panel of the results.
func (r Results) Panel(s Split, epsilon float64, c Constants) (Panel, error) {
	for _, p := range r.Panels {
		if p.Split == s && p.Epsilon == epsilon && p.Constants == c {
			return p, nil
		}
	}
	return Panel{}, fmt.Errorf("relativegaussian: no panel of %s, ε = %g, %s", s, epsilon, c)
}

// Curve returns a curve of the panel; the zero one where the method was refused.
func (p Panel) Curve(m Method) Curve {
	for _, c := range p.Curves {
		if c.Method == m {
			return c
		}
	}
	return Curve{Method: m}
}

// Final is the mean over runs of the last tenth of the steps; NaN without any.
func (c Curve) Final() float64 {
	if len(c.Last) == 0 {
		return math.NaN()
	}
	var s float64
	for _, v := range c.Last {
		s += v
	}
	return s / float64(len(c.Last))
}

// Run simulates all panels.
func Run(ctx context.Context, s Settings) (Results, error) {
	if s.Runs < 1 || s.Steps < 10 || s.Limit < 0 {
		return Results{}, fmt.Errorf("relativegaussian: got %+v, want at least 1 run and 10 steps", s)
	}
	r, err := load(ctx, s.Limit, s.Seed)
	if err != nil {
		return Results{}, err
	}
	out := Results{Settings: s, Rows: r.rows()}
	if out.Data, err = digests(); err != nil {
		return Results{}, err
	}
	for _, w := range []struct {
		split   Split
		epsilon float64
	}{{Random, 0.1}, {Label, 0.1}, {Bias, 0.1}, {Random, 1e-3}} {
		pair, err := newPair(r, w.split, s.Seed)
		if err != nil {
			return Results{}, err
		}
		for _, c := range []Constants{Paper, Corrected} {
			p, err := pair.panel(ctx, s, w.split, w.epsilon, c, Methods)
			if err != nil {
				return Results{}, err
			}
			out.Panels = append(out.Panels, p)
		}
	}
	return out, nil
}

// pair is two nodes and their common objective ½(f₁ + f₂).
type pair struct {
	nodes [2]*node
	best  []float64
	least float64
	step  float64 // ½/max λ_max, as in the paper
}

func newPair(r data, s Split, seed uint64) (*pair, error) {
	parts, shift, err := divide(r, s, seed)
	if err != nil {
		return nil, err
	}
	p := &pair{}
	var top float64
	for k := range parts {
		if p.nodes[k], err = newNode(parts[k], shift[k], Ridge); err != nil {
			return nil, err
		}
		top = max(top, p.nodes[k].eig[r.d-1])
	}
	p.step = 0.5 / top
	p.best = make([]float64, r.d)
	for range 20_000 { // plain descent, to far below what the figures show
		p.move(p.best, func(k int) []float64 { return p.nodes[k].gradient(p.best) })
	}
	p.least = (p.nodes[0].value(p.best) + p.nodes[1].value(p.best)) / 2
	return p, nil
}

func (p *pair) move(theta []float64, gradient func(k int) []float64) {
	g, h := gradient(0), gradient(1)
	for j := range theta {
		theta[j] -= p.step * (g[j] + h[j]) / 2
	}
}

// above is how far the common objective is above its least value.
func (p *pair) above(theta []float64) float64 {
	return max((p.nodes[0].value(theta)+p.nodes[1].value(theta))/2-p.least, 1e-16)
}

// private returns a method's noisy gradient of a node.
type private func(k int, theta []float64, rng *rand.Rand) []float64

func (p *pair) panel(ctx context.Context, s Settings, split Split, epsilon float64, c Constants, of []Method) (Panel, error) {
	out := Panel{Split: split, Epsilon: epsilon, Constants: c, Start: p.above(make([]float64, p.nodes[0].d))}
	var noise [2]relative
	refused := false
	for k, n := range p.nodes {
		f := Facts{Rows: n.rows(), Clip: n.clip}
		var err error
		if c == Paper {
			noise[k], err = n.paperRelative(epsilon)
		} else {
			noise[k], err = n.corrected(epsilon, size(n.gradient(p.best)))
		}
		if f.Relative = noise[k]; err != nil {
			f.Refused, refused = err.Error(), true
		}
		out.Nodes = append(out.Nodes, f)
		out.Distance = max(out.Distance, size(n.gradient(p.best)))
	}
	var white *whitened
	if c == Corrected {
		var err error
		if white, err = p.whiten(epsilon); err != nil {
			return out, err
		}
		for k := range out.Nodes {
			out.Nodes[k].Whitened = &white.noise[k]
		}
	}
	// The variance on a mean of n clipped gradients: αc²/(εn²) as printed, and 2αc²/(εn²) for a replaced row.
	factor := 1.0
	if c == Corrected {
		factor = 2
	}
	clip := func(scale float64) private {
		return func(k int, theta []float64, rng *rand.Rand) []float64 {
			n := p.nodes[k]
			c := scale * n.clip
			return add(n.clipped(theta, c, Ridge), math.Sqrt(factor*rdpOrder/epsilon)*c/float64(n.rows()), rng)
		}
	}
	methods := map[Method]private{
		Exact:    func(k int, theta []float64, _ *rand.Rand) []float64 { return p.nodes[k].gradient(theta) },
		ClipLow:  clip(0.1),
		Clip:     clip(1),
		ClipHigh: clip(10),
		Relative: func(k int, theta []float64, rng *rand.Rand) []float64 {
			g := p.nodes[k].gradient(theta)
			return add(g, math.Sqrt(noise[k].Gamma*dot(g, g)+noise[k].Base), rng)
		},
	}
	for i, m := range Methods {
		if !slices.Contains(of, m) || (m == Relative && refused) || (m == Whitened && white == nil) {
			continue
		}
		runs := s.Runs
		if m == Exact {
			runs = 1
		}
		paths := make([][]float64, runs)
		if err := parallel(ctx, runs, func(run int) error {
			rng := rand.New(rand.NewPCG(s.Seed+uint64(run)<<8, uint64(i)))
			theta := make([]float64, p.nodes[0].d)
			for range s.Steps {
				if err := ctx.Err(); err != nil {
					return err
				}
				if m == Whitened {
					white.move(p, theta, rng)
				} else {
					p.move(theta, func(k int) []float64 { return methods[m](k, theta, rng) })
				}
				v := p.above(theta)
				if !(v < 1e300) {
					v = 1e300 // it diverged
				}
				paths[run] = append(paths[run], v)
			}
			return nil
		}); err != nil {
			return out, err
		}
		out.Curves = append(out.Curves, summarise(m, paths))
	}
	return out, nil
}

func size(v []float64) float64 { return math.Sqrt(dot(v, v)) }

// add is noise of that standard deviation on every coordinate.
func add(g []float64, sigma float64, rng *rand.Rand) []float64 {
	for j := range g {
		g[j] += sigma * rng.NormFloat64()
	}
	return g
}

func summarise(m Method, paths [][]float64) Curve {
	c := Curve{Method: m}
	steps := len(paths[0])
	for t := 1; t <= steps; t += max(1, t/8) {
		c.Steps = append(c.Steps, t)
	}
	if c.Steps[len(c.Steps)-1] != steps {
		c.Steps = append(c.Steps, steps)
	}
	for _, t := range c.Steps {
		var at []float64
		var sum float64
		for _, p := range paths {
			at = append(at, p[t-1])
			sum += p[t-1]
		}
		c.Mean = append(c.Mean, digits(sum/float64(len(at))))
		c.Lo, c.Hi = append(c.Lo, digits(slices.Min(at))), append(c.Hi, digits(slices.Max(at)))
	}
	tail := max(1, steps/10)
	for _, p := range paths {
		var sum float64
		for _, v := range p[steps-tail:] {
			sum += v / float64(tail)
		}
		c.Last = append(c.Last, digits(sum))
	}
	return c
}

// digits keeps six of them: the file is to be read by people too.
func digits(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	if v := math.Round(x*scale) / scale; v-v == 0 {
		return v
	}
	return x
}

func parallel(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	gate := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			errs[i] = errors.Join(ctx.Err(), do(i))
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
