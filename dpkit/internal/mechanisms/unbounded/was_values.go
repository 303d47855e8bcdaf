package unbounded

import (
	"fmt"
)

func (o Unbounded) was() []string {
	args := []string{fmt.Sprintf("ε = %g", o.Epsilon), fmt.Sprintf("δ = %g", o.Delta)}
	if o.Method != Adaptive {
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
