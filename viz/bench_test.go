package viz

import "testing"

func BenchmarkWaterfallPNG(b *testing.B) {
	v := Waterfall(handCost(false))
	for b.Loop() {
		if _, err := v.PNG(); err != nil {
			b.Fatal(err)
		}
	}
}
