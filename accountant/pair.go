package accountant

// Pair is the pair state of the stability calculus: the set of all pairs of datasets (X, X')
// of N rows in the ball of radius R such that at most F rows are free (any two domain values)
// and, over the other rows with displacements d_i = ‖x_i − x'_i‖,
//
//	#{d_i > 0} ≤ M,  Σ d_i ≤ T1,  (Σ d_i²)^½ ≤ TF,  max d_i ≤ TInf.
//
// The zero value is not a state: begin with [Start].
type Pair struct {
	Neighbours Neighbours
	N          int     // rows (public)
	R          float64 // bound on every row's Euclidean norm (public)
	F          int     // free rows
	M          int     // bound on the number of displaced rows
	T1         float64 // bound on the total displacement τ (L12)
	TF         float64 // bound on the Frobenius displacement
	TInf       float64 // bound on the largest row displacement
	DFree      float64 // bound on the displacement of a free row; +Inf where only 2R is known
}

// StepBounds are the public constants with which one preprocessing step moves a [Pair].
// Names follow the calculus: a* are aggregate fit displacements caused by one free row,
// h* those caused by the incoming displacement (already multiplied by it).
type StepBounds struct {
	K            float64 // Lipschitz constant of the row map, uniformly over fits
	A1, AF, AInf float64 // Σ, ℓ2, max over the common rows, per free row
	H1, HF, HInf float64 // the same for the incoming displacement
	KF           float64 // joint Frobenius Lipschitz constant (map and fit); 0 where none is known
	Affected     int     // common rows that a fit change can move (Δ∞)
	R            float64 // norm bound after the step
	ResetFree    bool    // the free row's image is arbitrary in the output domain (keyed and mask steps)
}
