package page

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

func TestHTMLDrawing(t *testing.T) {
	paint := func(at func(x, y int) color.Color) string {
		m := image.NewNRGBA(image.Rect(0, 0, 100, 100))
		for y := range 100 {
			for x := range 100 {
				m.Set(x, y, at(x, y))
			}
		}
		return pngBase64(t, m)
	}
	blue := color.NRGBA{B: 200, A: 255}
	palette := image.NewPaletted(image.Rect(0, 0, 10, 10), color.Palette{color.White, blue})
	for i := range 40 {
		palette.Pix[i] = 1
	}
	framed := func(width int) func(x, y int) color.Color {
		return func(x, y int) color.Color {
			if min(x, y, 99-x, 99-y) < width {
				return color.White
			}
			return blue
		}
	}
	half := func(other func(x, y int) color.Color) func(x, y int) color.Color {
		return func(x, y int) color.Color {
			if y < 50 {
				return color.White
			}
			return other(x, y)
		}
	}
	huge := bytes.Clone(must(base64.StdEncoding.DecodeString(pngBase64(t, palette))))
	binary.BigEndian.PutUint32(huge[16:], 1<<20) // the width and height in the first chunk
	binary.BigEndian.PutUint32(huge[20:], 1<<20)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	for _, tc := range []struct {
		name string
		png  string
		want bool
	}{
		{"plot", paint(half(func(int, int) color.Color { return blue })), true},
		{"plot of a palette", pngBase64(t, palette), true},
		{"little paper", paint(func(_, y int) color.Color {
			if y < 49 {
				return color.White
			}
			return blue
		}), false},
		{"heat map", paint(framed(6)), true},
		{"a thin edge", paint(framed(4)), false},
		{"photograph in a frame", paint(func(x, y int) color.Color {
			if min(x, y, 99-x, 99-y) < 6 {
				return color.White
			}
			return color.NRGBA{R: uint8(2 * x), G: uint8(2 * y), B: 100, A: 255}
		}), false},
		{"photograph beside white", paint(half(func(x, y int) color.Color { return color.NRGBA{R: uint8(2 * x), G: uint8(2 * y), B: 100, A: 255} })), false},
		{"no ground", paint(func(int, int) color.Color { return color.Transparent }), false},
		{"dark plot", paint(func(int, int) color.Color { return color.Black }), false},
		{"beyond the limit", base64.StdEncoding.EncodeToString(huge), false},
		{"cut off", pngBase64(t, palette)[:60], false},
		{"no PNG", "AA==", false},
		{"no base64", "A", false},
		{"empty", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := isDrawing(tc.png); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
			o := display("image/png", tc.png, "text/plain", "p")
			if got := imageTag("image/png", tc.png, o, &nb.Cell{}); strings.Contains(got, `class="drawing"`) != tc.want {
				t.Errorf("got %.60s…", got)
			}
		})
	}
}

func pngBase64(t *testing.T, m image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
