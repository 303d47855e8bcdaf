package steps

import (
	"fmt"
)

// args are the certificates as they are written in a chain.
func (m maskCertificates) was() (out []string) {
	if m.missing.Given() {
		out = append(out, "MaxMissing: "+m.missing.Was())
	}
	if m.observed.Given() {
		out = append(out, "MinObserved: "+m.observed.Was())
	}
	return out
}

func (b Ball) was() string {
	if b.MaxBlock.Given() {
		return fmt.Sprintf("Ball{Eta: %g, MaxBlock: %s}", b.Eta, b.MaxBlock.Was())
	}
	s := fmt.Sprintf("Ball{Eta: %g, MaxCluster: %d", b.Eta, b.MaxCluster)
	if b.Declared {
		s += ", Declared: true"
	}
	return s + "}"
}
