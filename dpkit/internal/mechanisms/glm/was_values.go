package glm

import (
	"fmt"
)

// args are the settings that every objective perturbation has.
func (o ObjectivePerturbation) Was() string {
	args := fmt.Sprintf("ε = %g, δ = %g", o.Epsilon, o.Delta)
	if o.Lambda != 0 {
		args += fmt.Sprintf(", Lambda = %g", o.Lambda)
	}
	if o.Alone {
		args += ", Alone"
	}
	if o.Kifer {
		args += ", Kifer"
	}
	return args
}
