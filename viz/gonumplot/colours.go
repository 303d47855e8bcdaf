package gonumplot

import (
	"image/color"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// Palette is the series of colours of package viz (Okabe and Ito, Color Universal Design, 2008), which are told apart under the
// common colour vision deficiencies. Give series different shapes or dashes too: no meaning should rest on colour alone.
func Palette() []color.Color {
	var out []color.Color
	for _, c := range theme.Series() {
		out = append(out, theme.RGB(c))
	}
	return out
}

var (
	ink   = theme.RGB(theme.Ink)
	quiet = theme.RGB(theme.Quiet)
	faint = theme.RGB(theme.Faint)
	rust  = theme.RGB(theme.Rust)
)
