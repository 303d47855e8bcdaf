package datasets_test

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// file is a loader and what is known about its data from their descriptions.
type file struct {
	load    func() (*frames.Frame, string, error)
	places  []string
	rows    int
	columns int            // of the schema
	missing map[string]int // by column
	listed  string         // the line of PROVENANCE.md about the first place
	fixture func(t *testing.T, s frames.Schema) []string
	schema  func() frames.Schema
}

func files() map[string]file {
	crime := map[string]int{"OtherPerCap": 1}
	for _, c := range datasets.CrimeSchema().Features() {
		if c.Missing && c.Name != "OtherPerCap" {
			crime[c.Name] = 1675 // communities.names, summary statistics
		}
	}
	// The missing counts of kidney are those of the UCI page's attribute table, of pima those that
	// the literature reports for its zeros.
	kidney := map[string]int{"age": 9, "bp": 12, "sg": 47, "al": 46, "su": 49, "rbc": 152, "pc": 65, "pcc": 4, "ba": 4, "bgr": 44, "bu": 19, "sc": 17, "sod": 87, "pot": 88, "hemo": 52, "pcv": 71, "wbcc": 106, "rbcc": 131, "htn": 2, "dm": 2, "cad": 2, "appet": 1, "pe": 1, "ane": 1}
	pima := map[string]int{"glucose": 5, "pressure": 35, "skin": 227, "insulin": 374, "bmi": 11}
	return map[string]file{
		"wine red":     {datasets.WineRed, []string{"wine/winequality-red.csv"}, 1599, 12, nil, "1599 rows x 12 columns", csvFixture(";", true), datasets.WineSchema},
		"wine white":   {datasets.WineWhite, []string{"wine/winequality-white.csv"}, 4898, 12, nil, "4898 rows x 12 columns", csvFixture(";", true), datasets.WineSchema},
		"gaussmixwine": {datasets.GaussMixWine, []string{"gaussmix/winequality-red.csv"}, 1599, 12, nil, "1599 rows x 12 columns", csvFixture(",", true), datasets.WineSchema},
		"housing":      {datasets.Housing, []string{"housing/housing.data"}, 506, 14, nil, "506 rows x 14 columns", csvFixture("   ", false), datasets.HousingSchema},
		"bike hour":    {datasets.BikeHour, []string{"bike/hour.csv"}, 17379, 17, nil, "17379 rows x 17 columns", csvFixture(",", true), datasets.BikeHourSchema},
		"gaussmixbike": {datasets.GaussMixBike, []string{"gaussmix/bike_train.csv"}, 10886, 12, nil, "10886 rows x 12 columns", csvFixture(",", true), datasets.GaussMixBikeSchema},
		"crime":        {datasets.Crime, []string{"crime/communities.data"}, 1994, 128, crime, "1994 rows x 128 columns", csvFixture(",", false), datasets.CrimeSchema},
		"credit":       {datasets.Credit, []string{"credit/UCI_Credit_Card.csv"}, 30000, 25, nil, "30000 rows x 25 columns", csvFixture(",", true), datasets.CreditSchema},
		"kidney":       {datasets.Kidney, []string{"kidney/chronic_kidney_disease_full.arff"}, 400, 25, kidney, "400 rows x 25 columns", arffFixture, datasets.KidneySchema},
		"pima":         {datasets.Pima, []string{"pima/pima-indians-diabetes.data.csv"}, 768, 9, pima, "768 rows x 9 columns", pimaFixture, datasets.PimaSchema},
		"tecator":      {datasets.Tecator, []string{"tecator/tecator.csv"}, 240, 125, nil, "240 rows x 125 columns", csvFixture(",", true), datasets.TecatorSchema},
		"ijcnn1":       {datasets.IJCNN1, []string{"ijcnn1/ijcnn1.trn.bz2", "ijcnn1/ijcnn1.tst.bz2"}, 49990 + 91701, 23, nil, "49990 rows x 23 columns", svmFixture(1, 2), datasets.IJCNN1Schema},
		// PROVENANCE.md counts the line ends of a9a, of which the last row has none, and no label.
		"a9a":   {datasets.A9A, []string{"adult/a9a.trn.bz2"}, 32561, 124, nil, "32560 rows x 123 columns", svmFixture(0, 1), datasets.A9ASchema},
		"mnist": {datasets.MNIST3v8, []string{"mnist/t10k-3v8-images-idx3-ubyte.gz", "mnist/t10k-3v8-labels-idx1-ubyte.gz"}, 1984, 785, nil, "1984 rows x 784 columns", idxFixture, nil},
	}
}

// With DPNB_DATA the real files have the rows, columns and missing cells that their descriptions
// say; without it, generated files of the same formats do.
func TestFiles(t *testing.T) {
	dir := os.Getenv("DPNB_DATA")
	for name, want := range files() {
		t.Run(name, func(t *testing.T) {
			if dir == "" {
				want = withFixture(t, want)
			} else if b, err := os.ReadFile(filepath.Join(dir, "PROVENANCE.md")); err != nil || !listed(string(b), want.places[0], want.listed) {
				t.Errorf("PROVENANCE.md does not list %s with %s (%v)", want.places[0], want.listed, err)
			}
			f, origin, err := want.load()
			if err != nil {
				t.Fatal(err)
			}
			if f.Rows() != want.rows || f.Schema().Len() != want.columns {
				t.Errorf("got %d rows and %d columns, want %d and %d", f.Rows(), f.Schema().Len(), want.rows, want.columns)
			}
			if !strings.HasSuffix(origin, "$DPNB_DATA/"+want.places[0]) {
				t.Errorf("origin %q does not say the place %s", origin, want.places[0])
			}
			if got := missing(t, f); !maps.Equal(got, want.missing) {
				t.Errorf("got missing cells %v, want %v", got, want.missing)
			}
			if _, ok := f.Schema().Label(); !ok {
				t.Error("the schema has no label")
			}
			if want.schema != nil && f.Schema().Hash() != want.schema().Hash() {
				t.Error("the frame has another schema than the package")
			}
		})
	}
}

// listed reports whether the section of the place holds the text.
func listed(provenance, place, text string) bool {
	_, section, ok := strings.Cut(provenance, "\n## "+place+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	return ok && strings.Contains(section, text)
}

// missing counts the missing cells of the columns that have any.
func missing(t *testing.T, f *frames.Frame) map[string]int {
	t.Helper()
	counts := map[string]int{}
	features := f.Schema().Features()
	if err := f.Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			for j, v := range b.Row(i) {
				if math.IsNaN(v) {
					counts[features[j].Name]++
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return counts
}

func TestFilesThatAreNotThere(t *testing.T) {
	for name, f := range files() {
		for _, dir := range []string{"", t.TempDir()} {
			t.Setenv("DPNB_DATA", dir)
			frame, origin, err := f.load()
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "DPNB_DATA") || !strings.Contains(err.Error(), f.places[0]) || frame != nil || origin != "" {
				t.Errorf("%s in %q: got %v, want an error that names DPNB_DATA and %s", name, dir, err, f.places[0])
			}
		}
	}
}

func TestBrokenFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DPNB_DATA", dir)
	put(t, dir, "pima/pima-indians-diabetes.data.csv", "6,148,72,35,0,33.6,0.627,20,1\n6,148,72,35,0,33.6,0.627,50,2\n")
	_, _, err := datasets.Pima()
	var at *frames.CellError
	if !errors.As(err, &at) || at.Line != 2 || at.Column != "class" || !strings.HasPrefix(err.Error(), "datasets: ") {
		t.Errorf("got %v, want the label of line 2", err)
	}
}

// The norm of an a9a row follows from its 14 attributes.
func TestA9ANorm(t *testing.T) {
	if got := datasets.A9ASchema().NormBound(); got < math.Sqrt(14) || got > math.Sqrt(14)*(1+1e-12) {
		t.Errorf("got %v, want √14", got)
	}
}
