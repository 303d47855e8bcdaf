package dpkit

import (
	"fmt"
	"testing"
)

func TestTogetherTry(t *testing.T) {
	s := demo(t, tinyFrame(t, 400, 1))
	d := s.Data()
	count := d.Count(Target{}, Is("work", "a"))
	mean := d.OneHot().Impute(Mean{}).Scale().Mean(Target{})
	model := d.OneHot().Impute(Mean{}).Scale().FitLogistic(ByGradient{Steps: 5})
	both := Together(Target{Epsilon: 1, Delta: 1e-6}, count, mean, model.Weight(2))
	fmt.Println(both)
	c, err := both.Cost()
	fmt.Println(c, err)
	r, err := both.Release(t.Context())
	fmt.Println(r, err, r.Value)
	n, err := count.Of(r)
	fmt.Println(n.Value, err)
	fmt.Println(both.Error(0.9))
	fmt.Println(both.Compare())
	q, err := Parse[Joint](s, both.String())
	fmt.Println(q, err)
	lap := d.Count(Target{Noise: NoiseLaplace}, Is("work", "a"))
	quant := d.Quantile(Target{}, 0.5, "age")
	for _, p := range []Plan[Joint]{
		Together(Target{Epsilon: 1, Delta: 1e-6}, lap, mean), Together(Target{Epsilon: 1, Delta: 1e-6}, quant, mean),
		Together(Target{Epsilon: 1, Delta: 1e-6}, quant, model), Together(Target{Epsilon: 1}, quant, lap),
	} {
		c, err := p.Cost()
		fmt.Println(p, err, c.Guarantee)
		if err == nil {
			q := p.plan().joint.settled
			fmt.Println(q.scale, q.parts[0].q.price.Guarantee, q.parts[1].q.price.Guarantee)
		}
	}
}
