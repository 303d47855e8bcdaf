package viz

import (
	"bytes"
	"encoding/xml"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

func TestPNG(t *testing.T) {
	// Drawn as others are: an image takes a tenth of a second.
	alike := map[string]bool{}
	for _, name := range []string{"roc", "precision", "scree", "filters", "profiles", "accountants", "accountants-gaussian", "burndown", "utility", "panels", "lines-log", "estimates", "missing"} {
		alike[name] = true
	}
	plots := 0
	for name, v := range views(t) {
		if v.fig == nil {
			if _, err := v.PNG(); err == nil {
				t.Errorf("%s: a table gave a PNG", name)
			}
			continue
		}
		plots++
		if alike[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data, err := v.PNG()
			if err != nil {
				t.Fatal(err)
			}
			if name == "waterfall" {
				if again, err := v.PNG(); err != nil || !bytes.Equal(data, again) {
					t.Errorf("the same plot has other bytes (%v)", err)
				}
			}
			m, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if w, h := m.Bounds().Dx(), m.Bounds().Dy(); w != v.fig.pixels()*density || w > figureWidth*density || h < w/30 || h > 2*w {
				t.Errorf("got %d × %d pixels", w, h)
			}
			if len(v.fig.Panels) == 0 {
				return
			}
			colours := coloursOf(t, data)
			all := m.Bounds().Dx() * m.Bounds().Dy()
			least := all / 2 // as a drawing on paper, dark pages invert it
			if strings.HasSuffix(name, "-heat") {
				least = all / 5 // its edge is white
			}
			if white := colours[0xFFFFFF]; white > all*98/100 || white < least {
				t.Errorf("%d of %d pixels are white", white, all)
			}
			for _, want := range []uint32{theme.Ink, theme.Blue} {
				if hollow := strings.HasSuffix(name, "-empty") || strings.HasSuffix(name, "-wrong") || strings.HasSuffix(name, "-unread"); !hollow && colours[want] < 50 {
					t.Errorf("colour %06x: %d pixels", want, colours[want])
				}
			}
			if alarm := colours[theme.Rust] > 50; alarm != (len(v.fig.Alarms) > 0) {
				t.Errorf("alarm colour drawn: %v", alarm)
			}
		})
	}
	if plots < 3 {
		t.Errorf("saw %d plots", plots)
	}
}

func coloursOf(t *testing.T, data []byte) map[uint32]int {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := m.(*image.Paletted)
	if !ok {
		t.Fatalf("got %T, want a picture of few colours", m)
	}
	var counts [256]int
	for y := range p.Rect.Dy() {
		for _, i := range p.Pix[y*p.Stride:][:p.Rect.Dx()] {
			counts[i]++
		}
	}
	n := map[uint32]int{}
	for i, c := range p.Palette {
		c := color.NRGBAModel.Convert(c).(color.NRGBA)
		if counts[i] > 0 {
			n[uint32(c.R)<<16|uint32(c.G)<<8|uint32(c.B)] += counts[i]
		}
	}
	return n
}

// A Conditional scope is visible in every form of every view of a guarantee.
func TestConditionalIsVisible(t *testing.T) {
	seen := 0
	for name, v := range views(t) {
		if !strings.HasSuffix(name, "-conditional") {
			continue
		}
		seen++
		t.Run(name, func(t *testing.T) {
			b, err := v.bundle()
			if err != nil {
				t.Fatal(err)
			}
			forms := map[string]string{"text": v.Text(), "HTML": unescape(v.HTML()), "notebook text": b.Data["text/plain"]}
			if h, ok := b.Data["text/html"]; ok {
				forms["notebook HTML"] = unescape(h)
			}
			if v.fig != nil {
				forms["alternative text"] = v.alt
				forms["picture"] = strings.Join(v.fig.Alarms, " ")
				svg, err := v.SVG()
				if err != nil {
					t.Fatal(err)
				}
				forms["SVG"] = unescape(string(svg))
			}
			for form, s := range forms {
				s = strings.Join(strings.Fields(strings.ReplaceAll(s, "!! ", "")), " ")
				if !strings.Contains(s, "CONDITIONAL") || !strings.Contains(s, promise) {
					t.Errorf("%s does not show it: %s", form, s)
				}
			}
		})
	}
	if seen < 5 {
		t.Errorf("saw %d conditional views", seen)
	}
}

// A scope that only a step declares is not lost when the guarantee forgot it.
func TestStepScopeReachesGuarantee(t *testing.T) {
	c := handCost(true)
	c.Guarantee.Scope = accountant.Scope{Kind: accountant.Unconditional}
	for _, v := range []View{Cost(c), Waterfall(c)} {
		if s := v.Text(); !strings.HasPrefix(strings.SplitN(s, "\n", 3)[2], "!! CONDITIONAL") {
			t.Errorf("no banner: %s", s)
		}
	}
}

func TestZeroGuaranteeIsNotCalledDP(t *testing.T) {
	c := handCost(false)
	c.Guarantee.Neighbours = 0
	for _, v := range []View{Guarantee(accountant.Guarantee{}), Cost(c), Waterfall(c)} {
		if s := v.Text(); !strings.Contains(s, "NOT A GUARANTEE") || strings.Contains(s, "-DP") {
			t.Errorf("got %s", s)
		}
	}
}

func TestHostileNames(t *testing.T) {
	const evil = "</td><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\x1b]0;pwned\x07\u202Ecod\n\n!! PRIVATE"
	c := handCost(true)
	c.Release.Name, c.Release.Event, c.Guarantee.Route = evil, evil, evil
	for i := range c.Steps {
		s := &c.Steps[i]
		s.Name, s.Note, s.Role = evil, evil, stage.Role(evil)
	}
	c.Guarantee.Scope.On = []string{evil}
	m := handModel()
	m.Label, m.Classes[1], m.Columns[0], m.Columns[4] = evil, evil, evil, evil
	st := handStatus(c.Guarantee.Scope)
	watched, entries := handWatched()
	watched.Dataset, watched.Project.Dataset, watched.Warnings[0] = evil, evil, evil
	entries[0].Name, entries[0].Mechanism, entries[1].ID, entries[1].Event = evil, evil, evil, evil
	entries[1].Guarantee.Scope.On = []string{evil}
	st.Dataset, st.Interrupted[0].Name, st.Interrupted[0].Event = evil, evil, evil
	for name, v := range map[string]View{
		"cost": Cost(c), "waterfall": Waterfall(c), "guarantee": Guarantee(c.Guarantee), "coefficients": Coefficients(m, 0),
		"ledger": Ledger(st), "releases": Releases(watched, entries), "table": Table([]string{evil}, [][]string{{evil}}),
		"lines": Lines(evilLines(evil)), "groups": Groups(handTable([]string{evil}, []string{evil, "b"})),
		"crossing": Groups(handTable([]string{evil, "x"}, []string{evil, "b"}, []string{evil, "c"})), "all": Groups(handTable([]string{evil, "x", "y"}, []string{evil}, []string{evil}, []string{evil})),
		"bars": Bars(BarChart{Title: evil, Note: evil, Axis: Axis{Name: evil, Unit: evil}, Bars: []Bar{{Label: evil, Kind: evil, Value: 1}}}),
		"histogram": Histogram(HistogramChart{
			Title: evil, Note: evil, X: Axis{Name: evil, Unit: evil}, Y: Axis{Name: evil}, Edges: []float64{0, 1},
			Sets: []HistogramSet{{Name: evil, Counts: []float64{1}}}, Rules: []Rule{{Name: evil, At: 1}},
		}),
		"panels":   Panels(evil, evil, evilLines(evil), LineChart{Series: []Series{{Name: evil, X: []float64{1}}}}),
		"refused":  Result(dpkit.Result[string]{Refused: evil, Guarantee: c.Guarantee, Status: watched}),
		"burndown": BurnDown(watched, entries),
		"rdp":      RDP(accountant.AddRemove, NamedEvent{Name: evil, Event: gaussian(1)}, NamedEvent{Name: evil}),
		"profiles": Profiles(accountant.AddRemove, NamedEvent{Name: evil, Event: gaussian(1)}, NamedEvent{Name: evil}),
		"losses":   PDP(1, Losses{Name: evil, Values: []float64{1}}),
		"scored":   Classifier(Scored{Name: evil, Scores: []float64{0, 1}, Positive: []bool{true, false}}, Scored{Name: evil}),
		"utility":  Utility(Axis{Name: evil}, evil, MeanBand(evil, 0.95, []float64{1}, [][]float64{{1, 2}})),
		"schema":   Schema(evilSchema(t, evil)),
		"result":   Result(dpkit.Result[string]{Value: evil, Guarantee: c.Guarantee, Status: st}),
		"not dp":   Result(dpkit.Result[string]{Value: evil, NotPrivate: evil}),
		"counted":  {title: clean(evil), blocks: []block{meter{Label: clean(evil), Value: 1, Max: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			forms := map[string]string{"text": v.Text(), "html": v.HTML(), "page": renderPage(v), "alt": v.alt}
			if v.fig != nil {
				svg, err := v.SVG()
				if err != nil {
					t.Fatal(err)
				}
				forms["svg"] = string(svg)
			}
			for form, s := range forms {
				for _, r := range s {
					if r != '\n' && r != '\t' && (r < 0x20 || r == 0x7F || r == 0x202E) {
						t.Fatalf("%s holds the control character %U", form, r)
					}
				}
				if strings.Contains(s, "\n!! PRIVATE") {
					t.Errorf("%s: a name made a line of its own", form)
				}
				if form == "text" || form == "alt" {
					continue
				}
				if strings.Contains(s, "<script") || strings.Contains(s, "<img src=x") {
					t.Errorf("%s: a name became markup", form)
				}
				wellFormed(t, form, s)
			}
		})
	}
}

func evilSchema(t *testing.T, evil string) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(frames.Numeric(evil, 0, 1), frames.Label("y", evil, "other"))
	if err != nil { // names like these are refused: then nothing can show them
		s, err = frames.NewSchema(frames.Numeric("<script>", 0, 1), frames.Label("y", "<img src=x>", "other"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func evilLines(evil string) LineChart {
	x := []float64{1, 2}
	return LineChart{
		Title: evil, Note: evil, X: Axis{Name: evil, Unit: evil}, Y: Axis{Name: evil},
		Series: []Series{{Name: evil, X: x, Y: x}, {Name: evil, X: x, Y: x, Style: ReferenceStyle}}, Rules: []Rule{{Name: evil, At: 1}},
	}
}

// wellFormed parses HTML as this package writes it, and SVG.
func wellFormed(t *testing.T, form, s string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	elements := 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		if e, ok := tok.(xml.StartElement); ok {
			elements++
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s: <%s> has the handler %s", form, e.Name.Local, a.Name.Local)
				}
			}
		}
	}
	if elements == 0 {
		t.Errorf("%s: no element", form)
	}
}

func unescape(s string) string {
	return strings.NewReplacer("&#34;", `"`, "&gt;", ">", "&lt;", "<", "&#39;", "'", "&amp;", "&").Replace(s)
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	plot, table := Waterfall(handCost(false)), Cost(handCost(false))
	for _, c := range []struct {
		name, file, prefix string
		v                  View
		fails              bool
	}{
		{name: "table as text", v: table, file: "a.txt", prefix: "Cost: 30000 rows"},
		{name: "table as page", v: table, file: "a.HTML", prefix: "<!DOCTYPE html>"},
		{name: "table as image", v: table, file: "a.png", fails: true},
		{name: "table as drawing", v: table, file: "a.svg", fails: true},
		{name: "plot as image", v: plot, file: "b.png", prefix: "\x89PNG"},
		{name: "plot as drawing", v: plot, file: "b.svg", prefix: "<?xml"},
		{name: "plot as page", v: plot, file: "b.html", prefix: "<!DOCTYPE html>"},
		{name: "plot as text", v: plot, file: "b.txt", prefix: "Where ε goes"},
		{name: "unknown extension", v: plot, file: "b.pdf", fails: true},
		{name: "no extension", v: plot, file: "b", fails: true},
		{name: "no such folder", v: plot, file: filepath.Join("none", "b.txt"), fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.file)
			if err := c.v.WriteFile(path); (err != nil) != c.fails {
				t.Fatalf("got error %v", err)
			}
			data, err := os.ReadFile(path)
			if c.fails {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a file was left: %v", err)
				}
				return
			}
			if err != nil || !strings.HasPrefix(string(data), c.prefix) {
				t.Errorf("got %.40q, %v", data, err)
			}
		})
	}
}

func TestToReportsTheWriter(t *testing.T) {
	if err := Guarantee(accountant.Guarantee{}).To(failing{}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fs.ErrClosed }

func TestTableAligns(t *testing.T) {
	got := Table([]string{"a", "n"}, [][]string{{"x", "1"}, {"yy", "−22.5"}, {"z"}, {"日", "3 %", "more"}}).Text()
	want := "a       n\n---------------\nx       1\nyy  −22.5\nz\n日    3 %  more\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// No function of the package can be handed private rows: none names a type that holds them. Of package
// frames it knows what is public: schemas, and frames that their caller declared public.
func TestNoFunctionTakesRows(t *testing.T) {
	public := map[string]bool{"Schema": true, "Progress": true, "Column": true, "Describe": true, "PublicFrame": true, "KindIgnored": true, "KindPerson": true, "KindText": true}
	secret := map[string]bool{"Session": true, "Pipeline": true, "Plan": true}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files, exported := 0, 0
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if i.Name != nil && strings.Contains(i.Path.Value, "dpnb/") {
				t.Errorf("%s imports %s under another name", p, i.Path.Value)
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				exported++
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if s.Sel.Name == "Frame" || s.Sel.Name == "Gota" {
				t.Errorf("%s opens a public frame by %s", p, s.Sel.Name)
			}
			if x, ok := s.X.(*ast.Ident); ok && (x.Name == "dpkit" && secret[s.Sel.Name] || x.Name == "frames" && !public[s.Sel.Name]) {
				t.Errorf("%s names %s.%s", p, x.Name, s.Sel.Name)
			}
			return true
		})
	}
	if files == 0 || exported < 10 {
		t.Fatalf("read %d files with %d exported functions", files, exported)
	}
}

// TestRelationSaysWhatItIsNot: where a page has room for the relation it says that add/remove hides no number of rows.
func TestRelationSaysWhatItIsNot(t *testing.T) {
	for rel, want := range map[accountant.Neighbours]string{
		accountant.ReplaceOne: "neighbours  replace-one\n",
		accountant.AddRemove:  "neighbours  add/remove: one row is zeroed out, the number of rows stays public\n",
	} {
		if text := Guarantee(accountant.Guarantee{Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: rel}).Text(); !strings.Contains(text, want) {
			t.Errorf("%v: got\n%s", rel, text)
		}
	}
}

// TestViewsSayWhomTheyProtect: what protects people says so wherever it is shown, and a unit that is not known is no guarantee.
func TestViewsSayWhomTheyProtect(t *testing.T) {
	c, r, st := handCost(false), handResult(false), handStatus(accountant.Scope{Kind: accountant.Unconditional})
	c.Guarantee.Unit, r.Guarantee.Unit, st.Unit = accountant.PerPerson, accountant.PerPerson, accountant.PerPerson
	r.Cost = c
	for name, v := range map[string]View{"guarantee": Guarantee(c.Guarantee), "cost": Cost(c), "waterfall": Waterfall(c), "result": Result(r), "ledger": Ledger(st)} {
		if !strings.Contains(v.Text(), "person") || v.fig != nil && !strings.Contains(v.alt, "per person") {
			t.Errorf("%s does not name people:\n%s", name, v.Text())
		}
	}
	if text := Cost(c).Text(); !strings.Contains(text, "30000 people") || strings.Contains(text, "30000 rows") {
		t.Errorf("people are called rows:\n%s", text)
	}
	g := c.Guarantee
	g.Neighbours = accountant.AddRemove
	if text := Guarantee(g).Text(); !strings.Contains(text, "the rows of one person are zeroed out, the number of people stays public") {
		t.Errorf("add/remove of people: got\n%s", text)
	}
	if g.Unit = 9; !strings.Contains(Guarantee(g).Text(), "NOT A GUARANTEE") {
		t.Errorf("an unknown unit: got\n%s", Guarantee(g).Text())
	}
}
