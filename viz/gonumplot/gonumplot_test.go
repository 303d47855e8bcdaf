package gonumplot

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

var update = flag.Bool("update", false, "write the golden file")

func released() dpkit.Estimates {
	return dpkit.Estimates{
		Of: "count", Names: []string{"ward A", "ward B", "ward C"}, Values: []float64{120, 45.5, -3}, Sigma: []float64{4, 4, 4},
		Provenance: dpkit.Provenance{
			Release: "Count",
			Guarantee: &accountant.Guarantee{
				Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}, Route: "test",
			},
			Unit: "row",
		},
	}
}

func barsOf(t *testing.T, pts Points, title string) *plot.Plot {
	t.Helper()
	p := New(title, pts)
	bars, err := plotter.NewBarChart(pts, 60)
	if err != nil {
		t.Fatal(err)
	}
	bars.Color = Palette()[0]
	whiskers, err := plotter.NewYErrorBars(pts)
	if err != nil {
		t.Fatal(err)
	}
	p.Add(bars, whiskers)
	p.NominalX(pts.Names...)
	p.Y.Label.Text = "visits"
	return p
}

// TestPointsHaveTheMargins: values, names and error bars are those of the release.
func TestPointsHaveTheMargins(t *testing.T) {
	e := released()
	pts := Released(e)
	margin, err := e.Margin(0.95)
	if err != nil {
		t.Fatal(err)
	}
	if pts.Len() != 3 {
		t.Fatalf("got %d points, want 3", pts.Len())
	}
	for i := range pts.Len() {
		x, y := pts.XY(i)
		low, high := pts.YError(i)
		if x != float64(i) || y != e.Values[i] || pts.Value(i) != y || pts.Label(i) != e.Names[i] || low != -margin[i] || high != margin[i] {
			t.Errorf("point %d: got (%g, %g) %q, errors %g and %g", i, x, y, pts.Label(i), low, high)
		}
	}
	if pts.Promise() != e.Promise() {
		t.Errorf("got the promise %q, want %q", pts.Promise(), e.Promise())
	}
}

// TestPlotSaysWhatItPromises: each promise once, in the title; red where there is none.
func TestPlotSaysWhatItPromises(t *testing.T) {
	e := released()
	bad := e
	bad.Provenance = dpkit.Provenance{NotPrivate: "a demonstration: its noise is reproducible"}
	g := *e.Guarantee
	g.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{"at most 3 cells are missing"}}
	conditional := dpkit.Provenance{Guarantee: &g}
	for _, c := range []struct {
		name   string
		values []Value
		want   []string
		colour color.Color
	}{
		{"released", []Value{Released(e)}, []string{"(1, 1e-06)-DP", "unit: row"}, ink},
		{"twice the same", []Value{Released(e), e}, []string{"(1, 1e-06)-DP"}, ink},
		{"not private", []Value{Released(bad)}, []string{"NOT PRIVATE: a demonstration"}, rust},
		{"no release", []Value{Points{}}, []string{"no guarantee"}, rust},
		{"under a condition", []Value{conditional}, []string{"at most 3 cells are missing"}, rust},
		{"a private value whose unit is a word of warning", []Value{dpkit.Provenance{Guarantee: e.Guarantee, Unit: "patient (conditional on consent)"}}, []string{"consent"}, ink},
		{"of both kinds", []Value{Released(e), Released(bad)}, []string{"(1, 1e-06)-DP", "NOT PRIVATE"}, rust},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := New("Visits\x1b[2J", c.values...)
			for _, w := range c.want {
				if strings.Count(p.Title.Text, w) != 1 {
					t.Errorf("got the title %q, want %q in it once", p.Title.Text, w)
				}
			}
			if p.Title.TextStyle.Color != c.colour {
				t.Errorf("got the colour %v, want %v", p.Title.TextStyle.Color, c.colour)
			}
			if strings.Contains(p.Title.Text, "\x1b") {
				t.Error("the title has a control character")
			}
		})
	}
}

// TestWriteFile: an image of the promised size, a drawing that holds the promise as text, and an error for other forms.
func TestWriteFile(t *testing.T) {
	p := barsOf(t, Released(released()), "Visits by ward")
	dir := t.TempDir()
	for _, name := range []string{"p.png", "p.SVG"} {
		if err := WriteFile(p, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "p.png"))
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || m.Width != 1240 || m.Height != 780 {
		t.Errorf("got %d × %d pixels and %v, want 1240 × 780", m.Width, m.Height, err)
	}
	drawing, err := os.ReadFile(filepath.Join(dir, "p.SVG"))
	if err != nil || !bytes.Contains(drawing, []byte("(1, 1e-06)-DP")) {
		t.Errorf("the drawing does not hold the promise: %v", err)
	}
	for _, c := range []struct {
		name string
		p    *plot.Plot
		path string
		want string
	}{
		{"other form", p, "p.gif", `".gif"`},
		{"no plot", nil, "p.png", "no plot"},
		{"no folder", p, filepath.Join("no", "p.png"), "write file"},
	} {
		if err := WriteFile(c.p, filepath.Join(dir, c.path)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %s", c.name, err, c.want)
		}
	}
	if err := Show(nil); err == nil {
		t.Error("showed no plot without an error")
	}
}

// TestGolden: the drawing of a small plot, to the byte; review a new one as a picture.
func TestGolden(t *testing.T) {
	got, err := svg(barsOf(t, Released(released()), "Visits by ward"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "bars.svg")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what is drawn: run with -update and look at it", path)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name   string
		lo, hi float64
		want   string
	}{
		{"round", 0, 100, "0 20 40 60 80 100"},
		{"below 0", -1, 0.5, "−1 −0.5 0 0.5"},
		{"large", 0, 30000, "0 5000 10000 15000 20000 25000 30000"},
		{"empty", 1, 1, ""},
	} {
		var got []string
		for _, m := range (Ticks{}).Ticks(c.lo, c.hi) {
			got = append(got, m.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %q, want %q", c.name, s, c.want)
		}
	}
}
