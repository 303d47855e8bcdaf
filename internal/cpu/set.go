package cpu

// A Set is an instruction set: each has what those before it have.
type Set uint8

const (
	Portable Set = iota // Go alone
	AVX2                // with FMA
	AVX512              // AVX-512F
)

func (s Set) String() string { return [...]string{"Go", "AVX2", "AVX512"}[s] }
