package gonumplot

import "image/color"

// Palette is the series of colours of package viz (Okabe and Ito, Color Universal Design, 2008), which are told apart under the
// common colour vision deficiencies. Give series different shapes or dashes too: no meaning should rest on colour alone.
func Palette() []color.Color {
	return []color.Color{rgb(0x0072B2), rgb(0xD55E00), rgb(0x009E73), rgb(0xCC79A7), rgb(0xE69F00), rgb(0x56B4E9)}
}

var (
	ink   = rgb(0x222222)
	quiet = rgb(0x555555) // small words
	faint = rgb(0x767676) // axes
	rust  = rgb(0xA33E00) // what must stand out
)

func rgb(c uint32) color.Color {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}
