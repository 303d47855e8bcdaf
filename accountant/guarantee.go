package accountant

// Budget is a target (ε, δ).
type Budget struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

// Guarantee is what a release promises: (ε, δ)-DP under a relation, within a scope.
type Guarantee struct {
	Budget
	Neighbours Neighbours `json:"neighbours"`
	Scope      Scope      `json:"scope"`
	// Route names the accounting route that gave the numbers, e.g. "exact Gaussian profile".
	Route string `json:"route"`
}

// Scope says for which pairs of datasets a guarantee holds.
type Scope struct {
	Kind ScopeKind `json:"kind"`
	// On lists the declarations that a Conditional scope rests on, or the tests of a Tested one.
	On []string `json:"on,omitempty"`
}

// ScopeKind orders scopes from strongest to weakest.
type ScopeKind uint8

const (
	// Unconditional holds for every dataset in the public domain.
	Unconditional ScopeKind = iota + 1
	// Tested is unconditional through propose-test-release; the test is part of the bill.
	Tested
	// Conditional holds only between datasets that satisfy the listed declarations.
	Conditional
)
