// Package prebuilt is what package kernel and its builder of cells, cellgo, agree on where programs are built before their cells run: how
// the one finds what the other left.
//
// It has no dependencies beyond the standard library: package nb carries its source with that of cellgo.
package prebuilt

// The environment of a kernel.
const (
	// GatherEnv names a folder: what would be built is kept there, each build's in a folder of its own, and the programs do nothing.
	GatherEnv = "DPNB_CELLGO_GATHER"
	// TakeEnv names a folder: programs of several cells are there.
	TakeEnv = "DPNB_CELLGO_BUNDLED"
	// KeepEnv names a folder that outlasts kernels: how builds go is kept there for other kernels.
	KeepEnv = "DPNB_CELLGO_KEEP"
	// OwnEnv names a folder that is the kernel's alone: folders in it say nothing of how cells are built.
	OwnEnv = "DPNB_CELLGO_OWN"
)
