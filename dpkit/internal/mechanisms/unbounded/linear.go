package unbounded

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
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
	Link        models.Link // of a label of two classes
}

// UnboundedFit is the mechanism of [UnboundedLinear].
type UnboundedFit struct {
	UnboundedLinear `dp:"inline"`
}

func (UnboundedFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/unbounded", Law: 1, Call: "FitUnbounded", Was: "dpkit.unboundedLinear"}
}

func (l UnboundedFit) settle(st stage.Stage) (*CalibratedMoments, error) {
	label, ok := st.In.Label()
	if !ok || len(label.Levels) > 2 {
		return nil, fmt.Errorf("the schema has no label of a number or of two classes; declare one with frames.UnboundedLabel, NumericLabel or Label: %w", stage.ErrColumn)
	}
	switch {
	case l.Link != models.LinkUnknown && len(label.Levels) != 2:
		return nil, fmt.Errorf("link: got %q for a numeric label, want none: it is for two classes: %w", string(l.Link), kind.ErrParameter)
	case l.Link != models.LinkUnknown && l.Link != models.LinkLogistic && l.Link != models.LinkProbit:
		return nil, fmt.Errorf("link: got %q, want LinkUnknown, LinkLogistic or LinkProbit: %w", string(l.Link), kind.ErrParameter)
	}
	return l.Calibrate(st, !l.NoIntercept, true)
}

func (l UnboundedFit) Settle(st stage.Stage) (mechanism.Settled[models.UnboundedModel], error) {
	p, err := l.settle(st)
	if err != nil {
		return mechanism.Settled[models.UnboundedModel]{}, err
	}
	b, err := p.bill(kind.Describe(l))
	// The model is solved from second moments, of which this much of the largest is noise in any direction.
	predicted := mechanism.Prediction{Of: "relative spectral error by noise of the second moments that the model is solved from, of Gaussian rows whose declared scales hold", Size: []float64{p.predicted}}
	return mechanism.Settled[models.UnboundedModel]{Bill: b, Predicted: predicted, Again: p.again, Read: func(_ context.Context, in rows.Driver) (mechanism.Draws[models.UnboundedModel], error) {
		return func(ctx context.Context, rng *noise.Source) (models.UnboundedModel, error) {
			j, err := p.draw(ctx, in, rng)
			return l.fit(p, st.In, j, err)
		}, nil
	}}, err
}

// Exact fits without noise. The rows are clipped as they would be.
func (l UnboundedFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.UnboundedModel, error) {
	p, err := l.settle(st)
	if err != nil {
		return models.UnboundedModel{}, err
	}
	j, err := p.exact(ctx, in)
	m, err := l.fit(p, st.In, j, err)
	return models.WithLaw(m, &coefficient.Law{Law: coefficient.NoNoise}), err
}

func (l UnboundedFit) fit(p *CalibratedMoments, in frames.Schema, j *jointMoments, err error) (models.UnboundedModel, error) {
	if err != nil {
		return models.UnboundedModel{}, err
	}
	r, err := j.regress(p.n)
	if err != nil {
		return models.UnboundedModel{}, err
	}
	law, err := j.noiseLaw(r.w)
	if err != nil {
		return models.UnboundedModel{}, err
	}
	return l.model(p, in, j, r, law), nil
}

// model turns coefficients of (1, x) for (y − mid)/to into a model of the label.
func (l UnboundedFit) model(p *CalibratedMoments, in frames.Schema, j *jointMoments, r regression, law *coefficient.Law) models.UnboundedModel {
	label, _ := in.Label()
	m := models.UnboundedModel{Label: label.Name, Noise: r.noise}
	to, mid := p.to, p.mid
	if len(label.Levels) == 2 { // in units of ±1
		m.Classes, to, mid = []string{label.Levels[0], label.Levels[1]}, 1, 0
	} else if !label.NoBounds {
		m.Bounds = []float64{label.Lo, label.Hi}
	}
	m = models.WithLaw(m, l.lawOf(law, to))
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
	if l.Link != models.LinkUnknown {
		m.Link = l.Link
		scaleToLink(&m, j, !l.NoIntercept)
	}
	return m
}

// lawOf is the law of the noise in the units of the model, the intercept last.
func (l UnboundedFit) lawOf(law *coefficient.Law, to float64) *coefficient.Law {
	if l.Link != models.LinkUnknown {
		return &coefficient.Law{Law: coefficient.OfLink}
	}
	if law.Scales == nil {
		return law
	}
	for _, v := range []*[]float64{&law.Scales, &law.Moments.Along, &law.Moments.Units} {
		of := *v
		for i := range of {
			of[i] *= to
		}
		if l.NoIntercept {
			*v = append(of, 0)
		} else {
			*v = append(of[1:len(of):len(of)], of[0])
		}
	}
	return law
}

func sqrtPositive(x float64) float64 { return math.Sqrt(max(x, 0)) }
