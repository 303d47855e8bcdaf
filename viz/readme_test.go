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

// TestReadmePictures: docs/cost.png is the waterfall of the quickstart's plan, and docs/srdp.png its smooth curve. Prices depend on the schema
// and the number of rows alone; -update draws them again.
func TestReadmePictures(t *testing.T) {
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
	readmePicture(t, "cost.png", Waterfall(cost))
	readmePicture(t, "srdp.png", SRDP(withoutNote(cost)))
}

// withoutNote is a cost as a private session has it.
func withoutNote(c dpkit.Cost) dpkit.Cost {
	c.NotPrivate = ""
	return c
}

func readmePicture(t *testing.T, name string, v View) {
	t.Helper()
	got, err := v.PNG()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "docs", name)
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
		t.Errorf("docs/%s, which the README shows, is not drawn of the quickstart's plan: run go test ./viz -run ReadmePictures -update", name)
	}
}
