package unbounded

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

func (l UnboundedFit) WasText() string {
	args := l.was()
	if l.NoIntercept {
		args = append(args, "NoIntercept")
	}
	if l.Link != models.LinkUnknown {
		args = append(args, string(l.Link)+" link")
	}
	return kind.Call("FitUnbounded", args...)
}

func (u UnboundedMean) WasText() string {
	args := []string{fmt.Sprintf("ε = %g, δ = %g", u.Epsilon, u.Delta)}
	if u.Locator != BinsGaussian {
		args = append(args, string(u.Locator))
	}
	if u.Failure != 0 {
		args = append(args, fmt.Sprintf("Failure = %g", u.Failure))
	}
	return kind.Call("UnboundedMean", args...)
}

func (s SecondMoment) WasText() string {
	if s.Central {
		return kind.Call("Covariance", s.was()...)
	}
	return kind.Call("SecondMoment", s.was()...)
}

func (o Unbounded) was() []string {
	args := []string{fmt.Sprintf("ε = %g", o.Epsilon), fmt.Sprintf("δ = %g", o.Delta)}
	if o.Method != MomentsAdaptive {
		args = append(args, string(o.Method))
	}
	if o.Smallest != 0 {
		args = append(args, fmt.Sprintf("Smallest = %g", o.Smallest))
	}
	if o.Largest != 0 {
		args = append(args, fmt.Sprintf("Largest = %g", o.Largest))
	}
	return args
}
