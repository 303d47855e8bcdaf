package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// UnboundedLinear is regression of the schema's label on all features, none of which needs a bound, by least squares on
// one joint second moment of (1, x, y).
//
//   - A numeric label, with or without bounds: least squares. The best linear predictor is estimated whatever the law of
//     the label given the features (Milionis's least squares with bounded labels and linear regression; there by three
//     releases in place of one).
//   - A label of two classes: binary regression. Least squares of ±1 gives the direction of the separating
//     hyperplane alone, if the features are Gaussian (Brillinger 1982); a Link that is known gives the scale, too.
type UnboundedLinear struct {
	Unbounded
	// NoIntercept leaves the constant feature out: features, and their label, have mean 0.
	NoIntercept bool
	Link        Link // of a label of two classes
}

// FitUnbounded fits a linear model of the schema's label on features without bounds. Each round is one pass over the
// rows, in constant memory.
//
// If the released moments do not stand above their noise the model says so in Refused, and does not predict: the
// release is paid for, as the refusal is a function of what was released.
func (p Pipeline) FitUnbounded(o UnboundedLinear) Plan[UnboundedModel] {
	return newPlan[UnboundedModel](p, unboundedLinear{o})
}

type unboundedLinear struct {
	UnboundedLinear `dp:"inline"`
}

func (unboundedLinear) kind() kind {
	return kind{"fit/unbounded", 1, "FitUnbounded", "dpkit.unboundedLinear"}
}

func (l unboundedLinear) settle(st Stage) (*momentPlan, error) {
	label, ok := st.In.Label()
	if !ok || len(label.Levels) > 2 {
		return nil, fmt.Errorf("the schema has no label of a number or of two classes; declare one with frames.UnboundedLabel, NumericLabel or Label: %w", ErrColumn)
	}
	switch {
	case l.Link != UnknownLink && len(label.Levels) != 2:
		return nil, fmt.Errorf("link: got %q for a numeric label, want none: it is for two classes: %w", string(l.Link), ErrParameter)
	case l.Link != UnknownLink && l.Link != LogisticLink && l.Link != ProbitLink:
		return nil, fmt.Errorf("link: got %q, want UnknownLink, LogisticLink or ProbitLink: %w", string(l.Link), ErrParameter)
	}
	if st.Taint[label.Name] {
		return nil, fmt.Errorf("the label %q is displaced by an earlier step, want one that is as it was read: %w", label.Name, ErrOrder)
	}
	return l.plan(st, !l.NoIntercept, true)
}

func (l unboundedLinear) Settle(st Stage) (settled[UnboundedModel], error) {
	p, err := l.settle(st)
	if err != nil {
		return settled[UnboundedModel]{}, err
	}
	b, err := p.bill(describe(l))
	return settled[UnboundedModel]{bill: b, read: func(_ context.Context, in driver) (draws[UnboundedModel], error) {
		return func(ctx context.Context, rng *noise.Source) (UnboundedModel, error) {
			j, err := p.draw(ctx, in, rng)
			return l.fit(p, st.In, j, err)
		}, nil
	}}, err
}

// Exact fits without noise. The rows are clipped as they would be.
func (l unboundedLinear) Exact(ctx context.Context, in driver, st Stage) (UnboundedModel, error) {
	p, err := l.settle(st)
	if err != nil {
		return UnboundedModel{}, err
	}
	j, err := p.exact(ctx, in)
	return l.fit(p, st.In, j, err)
}

func (l unboundedLinear) fit(p *momentPlan, in frames.Schema, j *jointMoments, err error) (UnboundedModel, error) {
	if err != nil {
		return UnboundedModel{}, err
	}
	r, err := j.regress(p.n)
	if err != nil {
		return UnboundedModel{}, err
	}
	return l.model(p, in, j, r), nil
}

// model turns coefficients of (1, x) for (y − mid)/to into a model of the label.
func (l unboundedLinear) model(p *momentPlan, in frames.Schema, j *jointMoments, r regression) UnboundedModel {
	label, _ := in.Label()
	m := UnboundedModel{Label: label.Name, Noise: r.noise}
	to, mid := p.to, p.mid
	if len(label.Levels) == 2 { // in units of ±1
		m.Classes, to, mid = []string{label.Levels[0], label.Levels[1]}, 1, 0
	} else if !label.NoBounds {
		m.Bounds = []float64{label.Lo, label.Hi}
	}
	if !l.NoIntercept {
		m.Intercept = mid + to*r.w[0]
		m.InterceptPrivacy, m.InterceptSampling = to*r.privacy[0], to*r.sampling[0]
		r.w, r.privacy, r.sampling = r.w[1:], r.privacy[1:], r.sampling[1:]
	} else {
		m.Intercept = mid
	}
	for k, f := range in.Features() {
		m.Columns = append(m.Columns, f.Name)
		m.Coef = append(m.Coef, to*r.w[k])
		m.Privacy = append(m.Privacy, to*r.privacy[k])
		m.Sampling = append(m.Sampling, to*r.sampling[k])
	}
	m.Residual = to * sqrtPositive(r.residual)
	if !(r.noise < 1) {
		m.Refused = fmt.Sprintf("the moments of the features may be off by %.3g times themselves in some direction: a column is constant or collinear, smaller than declared, or rows are too few", r.noise)
		return m
	}
	if l.Link != UnknownLink {
		m.Link = l.Link
		scaleToLink(&m, j, !l.NoIntercept)
	}
	return m
}

func sqrtPositive(x float64) float64 { return math.Sqrt(max(x, 0)) }
