package dpkit

import "fmt"

// args are the certificates as they are written in a chain.
func (m maskCertificates) was() (out []string) {
	if m.missing.given() {
		out = append(out, "MaxMissing: "+m.missing.was())
	}
	if m.observed.given() {
		out = append(out, "MinObserved: "+m.observed.was())
	}
	return out
}

func (t Target) was() string {
	if t.Noise == LaplaceNoise {
		return fmt.Sprintf("ε = %g, Laplace noise", t.Epsilon)
	}
	return fmt.Sprintf("ε = %g, δ = %g", t.Epsilon, t.Delta)
}

// args are the settings that every objective perturbation has.
func (o ObjectivePerturbation) was() string {
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

func (c Certificate) was() string {
	switch {
	case c.ground == FromDeclaration:
		return fmt.Sprintf("Declare(%g)", c.value)
	case c.ground != FromTest:
		return "none"
	case c.open:
		return fmt.Sprintf("Bound({Share: %g, Delta: %g})", c.tested.Share, c.tested.Delta)
	default:
		return fmt.Sprintf("Test(%g, {Share: %g, Delta: %g})", c.value, c.tested.Share, c.tested.Delta)
	}
}

func (b Ball) was() string {
	if b.MaxBlock.given() {
		return fmt.Sprintf("Ball{Eta: %g, MaxBlock: %s}", b.Eta, b.MaxBlock.was())
	}
	s := fmt.Sprintf("Ball{Eta: %g, MaxCluster: %d", b.Eta, b.MaxCluster)
	if b.Declared {
		s += ", Declared: true"
	}
	return s + "}"
}

func (c Condition) was() string {
	if c.levels != nil {
		return call("Is", quoteAll(append([]string{c.column}, c.levels...))...)
	}
	return call("Between", fmt.Sprintf("%q", c.column), fmt.Sprintf("%g", c.lo), fmt.Sprintf("%g", c.hi))
}
