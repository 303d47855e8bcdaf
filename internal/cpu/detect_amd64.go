//go:build !purego

package cpu

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() (low, high uint32)

// Detect returns the widest instruction set that the processor has and the operating system saves.
func Detect() Set {
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return Portable
	}
	const fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28
	if _, _, c, _ := cpuid(1, 0); c&(fma|osxsave|avx) != fma|osxsave|avx {
		return Portable
	}
	const avxState, avx512State = 0x6, 0xe6
	state, _ := xgetbv()
	_, b, _, _ := cpuid(7, 0)
	switch {
	case b&(1<<5) == 0 || state&avxState != avxState:
		return Portable
	case b&(1<<16) == 0 || state&avx512State != avx512State:
		return AVX2
	}
	return AVX512
}
