package quad

import (
	"math"
	"testing"
)

func TestUnevenTails(t *testing.T) {
	for _, rho := range []float64{0.5, 0.1, 1e-3, 1e-12} {
		for _, lead := range []float64{0, 0.3, -0.3, 4, -4, 60, -60} {
			up, down := UnevenTails(rho, lead)
			outside := NormalCDF(-up) + NormalCDF(-down)
			if !(outside <= rho*(1+1e-12) && outside >= rho*(1-1e-9)) {
				t.Errorf("rho %g, lead %g: outside with %g", rho, lead, outside)
			}
			if want := max(-50, min(lead, 50)); math.Abs(down-up-want) > 1e-12 {
				t.Errorf("rho %g, lead %g: up %g, down %g", rho, lead, up, down)
			}
		}
		if up, down := UnevenTails(rho, 0); up != down || math.Abs(up+NormalQuantile(rho/2)) > 1e-9 {
			t.Errorf("rho %g: even tails %g and %g", rho, up, down)
		}
	}
}
