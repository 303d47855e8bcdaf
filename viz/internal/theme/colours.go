package theme

import "image/color"

// Colours, as 0xRRGGBB. The first are Okabe and Ito's palette (Color Universal Design, 2008): told apart under the common colour
// vision deficiencies. No meaning should rest on colour alone.
const (
	Blue       = 0x0072B2
	Vermillion = 0xD55E00
	SkyBlue    = 0x56B4E9
	Orange     = 0xE69F00
	Green      = 0x009E73
	Purple     = 0xCC79A7

	Rust     = 0xA33E00 // vermillion, dark enough to read: what must stand out
	Ink      = 0x222222 // words
	Quiet    = 0x555555 // small words
	Faint    = 0x767676 // axes
	Hairline = 0xD0D0D0 // grids
)

// Series are Okabe and Ito's colours in an order in which neighbours differ in lightness too. Their yellow cannot be seen on white.
func Series() []uint32 { return []uint32{Blue, Vermillion, Green, Purple, Orange, SkyBlue} }

// RGB is an opaque colour, 0xRRGGBB.
func RGB(c uint32) color.Color {
	return color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255}
}
