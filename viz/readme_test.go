package viz

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// TestReadmePicture: docs/cost.png is the waterfall of the quickstart's plan, whose price depends on the schema and the
// number of rows alone; -update draws it again.
func TestReadmePicture(t *testing.T) {
	const adult = 32561
	rows, err := datasets.SyntheticAdult(adult, 1)
	if err != nil {
		t.Fatal(err)
	}
	train, _, err := frames.Split(rows, 0.8, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Demo(train, 1, dpkit.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	cost, err := s.Data().OneHot().ClipColumns(0, 20000, "capital-gain").Indicate().Impute(dpkit.Mean{}).Scale().
		FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6}).Cost()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Waterfall(cost).PNG()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "docs", "cost.png")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pixels := func(file []byte) image.Image {
		m, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if !reflect.DeepEqual(pixels(got), pixels(want)) {
		t.Error("docs/cost.png, which the README shows, is not the waterfall of the quickstart's plan: run go test ./viz -run ReadmePicture -update")
	}
}
