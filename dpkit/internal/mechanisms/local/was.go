package local

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

func (l LocalFit) WasText() string {
	args := []string{
		fmt.Sprintf("ε = %g", l.Epsilon), fmt.Sprintf("δ = %g", l.Delta), fmt.Sprintf("Rounds = %d", l.Rounds),
		string(l.Noise), fmt.Sprintf("Ridge = %g", l.Ridge), fmt.Sprintf("MaxNorm = %g", l.maxNorm()),
	}
	if l.Clip != 0 {
		args = append(args, fmt.Sprintf("Clip = %g", l.Clip))
	}
	if l.Strength.Given() {
		args = append(args, fmt.Sprintf("Strength = %s", l.Strength.Was()))
	}
	if l.NoIntercept {
		args = append(args, "NoIntercept")
	}
	return kind.Call("TrainLocally", strings.Join(args, ", "))
}
