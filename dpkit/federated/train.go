package federated

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
)

// Options of a training.
type Options struct {
	Rounds int // T; no default. Nodes that answer fewer rounds are refused
	// Weights of the nodes' gradients, in the order of the links; nil: in proportion to their rows, which minimises the mean loss
	// over all rows. Equal weights minimise the mean of the nodes' losses, as the paper does.
	Weights []float64
	// Step is the size τ of a step; 0: 1/((1 + dγ)L) with the largest L and γ of the nodes, at which the noise that grows with the
	// gradient does not drive the iterates away (Hendrikx, Mangold, Bellet 2025, Theorem 2, corrected).
	Step float64
	// Progress is told every new point; nil: nobody.
	Progress func(round int, theta []float64)
}

// Outcome is a finished training. It is made of private gradients alone.
type Outcome struct {
	Theta []float64 // the last point
	Step  float64
	Facts []Facts // of each node
}

// Train leads a training over links to nodes that [Join] it: gradient descent from 0 with the weighted mean of their gradients,
// projected on the smallest ball that all nodes answer in. Each node's model is told to it at the end. Links stay open.
// On an error every node is told that it is over. Errors wrap [ErrParameter], [ErrMessage], [ErrPeer], or are of a link.
func Train(ctx context.Context, nodes []Link, o Options) (Outcome, error) {
	t := training{nodes: nodes, o: o}
	out, err := t.run(ctx)
	if err != nil {
		_ = t.each(func(i int) error { // whoever still listens
			if !t.gone[i] {
				farewell(ctx, nodes[i], "the training ended")
			}
			return nil
		})
		return Outcome{}, fmt.Errorf("federated: training: %w", err)
	}
	return out, nil
}

type training struct {
	nodes []Link
	o     Options
	gone  []bool // nodes that do not listen any more
}

func (t *training) run(ctx context.Context) (Outcome, error) {
	t.gone = make([]bool, len(t.nodes))
	if len(t.nodes) == 0 {
		return Outcome{}, fmt.Errorf("got no node: %w", ErrParameter)
	}
	if t.o.Rounds < 1 {
		return Outcome{}, fmt.Errorf("rounds: got %d, want at least 1: %w", t.o.Rounds, ErrParameter)
	}
	if !(t.o.Step >= 0) || math.IsInf(t.o.Step, 1) {
		return Outcome{}, fmt.Errorf("step: got %g, want a positive number, or 0 for the default: %w", t.o.Step, ErrParameter)
	}
	facts, err := t.facts(ctx)
	if err != nil {
		return Outcome{}, err
	}
	weights, err := t.weights(facts)
	if err != nil {
		return Outcome{}, err
	}
	dim, ball, curve, gamma := facts[0].Dim, math.Inf(1), 0.0, 0.0
	for _, f := range facts {
		ball, curve, gamma = min(ball, f.MaxNorm), max(curve, f.Lipschitz), max(gamma, f.Gamma)
	}
	step := t.o.Step
	if step == 0 {
		step = 1 / ((1 + float64(dim)*gamma) * curve)
	}
	theta := make([]float64, dim)
	for round := range t.o.Rounds {
		g, err := t.gradients(ctx, round, theta)
		if err != nil {
			return Outcome{}, err
		}
		var square float64
		for j := range theta {
			for i := range g {
				theta[j] -= step * weights[i] * g[i][j]
			}
			square += theta[j] * theta[j]
		}
		size := math.Sqrt(square)
		if size-size != 0 { // infinite, or NaN
			return Outcome{}, fmt.Errorf("round %d: a step of %g × gradients of such a size leaves the range of numbers: %w", round+1, step, ErrMessage)
		}
		if size > ball {
			for j := range theta {
				theta[j] *= ball / size
			}
		}
		if t.o.Progress != nil {
			t.o.Progress(round+1, append([]float64{}, theta...))
		}
	}
	err = t.each(func(i int) error {
		return t.nodes[i].Send(ctx, Message{Kind: KindDone, Round: t.o.Rounds, Vector: theta})
	})
	return Outcome{Theta: theta, Step: step, Facts: facts}, err
}

// each runs a step of the conversation with all nodes at the same time.
func (t *training) each(do func(i int) error) error {
	errs := make([]error, len(t.nodes))
	var wg sync.WaitGroup
	for i := range t.nodes {
		wg.Go(func() {
			if err := do(i); err != nil {
				errs[i] = fmt.Errorf("node %d: %w", i+1, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (t *training) receive(ctx context.Context, i int, want Kind, round int) (Message, error) {
	m, err := t.nodes[i].Receive(ctx)
	switch {
	case err != nil:
		t.gone[i] = true
		return m, err
	case m.Kind == KindError:
		t.gone[i] = true
		return m, fmt.Errorf("%w: %.200q", ErrPeer, m.Text)
	case m.Kind != want || m.Round != round:
		return m, fmt.Errorf("got %.20q of round %d, want %q of round %d: %w", m.Kind, m.Round, want, round, ErrMessage)
	}
	return m, nil
}

func (t *training) facts(ctx context.Context) ([]Facts, error) {
	facts := make([]Facts, len(t.nodes))
	err := t.each(func(i int) error {
		m, err := t.receive(ctx, i, KindFacts, 0)
		if err != nil {
			return err
		}
		if m.Facts == nil {
			return fmt.Errorf("no facts: %w", ErrMessage)
		}
		facts[i] = *m.Facts
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, f := range facts {
		positive := f.Lipschitz > 0 && f.MaxNorm > 0 && f.Lipschitz < 1e150 && f.MaxNorm < 1e150
		if f.Dim < 1 || f.Dim > 1<<16 || f.Rows < 1 || !positive || !(f.Gamma >= 0 && f.Gamma < 1e150) {
			return nil, fmt.Errorf("node %d: facts %+v: %w", i+1, f, ErrMessage)
		}
		if f.Dim != facts[0].Dim {
			return nil, fmt.Errorf("node %d: got %d coefficients, and node 1 has %d; give all nodes the same schema and steps: %w", i+1, f.Dim, facts[0].Dim, ErrMessage)
		}
		if f.Rounds != t.o.Rounds {
			return nil, fmt.Errorf("node %d: it answers %d rounds, want %d: %w", i+1, f.Rounds, t.o.Rounds, ErrParameter)
		}
	}
	return facts, nil
}

// weights sum to 1.
func (t *training) weights(facts []Facts) ([]float64, error) {
	w := t.o.Weights
	if w == nil {
		for _, f := range facts {
			w = append(w, float64(f.Rows))
		}
	}
	if len(w) != len(facts) {
		return nil, fmt.Errorf("weights: got %d for %d nodes: %w", len(w), len(facts), ErrParameter)
	}
	var sum float64
	for _, v := range w {
		if !(v >= 0) {
			return nil, fmt.Errorf("weights: got %g, want numbers of at least 0: %w", v, ErrParameter)
		}
		sum += v
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil, fmt.Errorf("weights: got the sum %g, want a positive finite one: %w", sum, ErrParameter)
	}
	out := make([]float64, len(w))
	for i, v := range w {
		out[i] = v / sum
	}
	return out, nil
}

func (t *training) gradients(ctx context.Context, round int, theta []float64) ([][]float64, error) {
	g := make([][]float64, len(t.nodes))
	err := t.each(func(i int) error {
		if err := t.nodes[i].Send(ctx, Message{Kind: KindPoint, Round: round, Vector: theta}); err != nil {
			t.gone[i] = true
			return err
		}
		m, err := t.receive(ctx, i, KindGradient, round)
		if err != nil {
			return err
		}
		if len(m.Vector) != len(theta) {
			return fmt.Errorf("got a gradient of %d numbers, want %d: %w", len(m.Vector), len(theta), ErrMessage)
		}
		for _, v := range m.Vector {
			if math.Abs(v) > 1e150 || math.IsNaN(v) {
				return fmt.Errorf("got a gradient of size %g: %w", v, ErrMessage)
			}
		}
		g[i] = m.Vector
		return nil
	})
	return g, err
}
