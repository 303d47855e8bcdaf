package datasets_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func TestAdultSchema(t *testing.T) {
	s := datasets.AdultSchema()
	if s.Len() != 15 || len(s.Features()) != 12 {
		t.Errorf("got %d columns, %d features, want 15 and 12", s.Len(), len(s.Features()))
	}
	label, ok := s.Label()
	if !ok || !slices.Equal(label.Levels, []string{"<=50K", ">50K"}) {
		t.Errorf("label: got %v %v, want <=50K, >50K", label, ok)
	}
	var missing []string
	for _, c := range s.Features() {
		if c.Missing {
			missing = append(missing, c.Name)
		}
	}
	if want := []string{"workclass", "occupation", "native-country"}; !slices.Equal(missing, want) {
		t.Errorf("columns that may miss: got %v, want %v", missing, want)
	}
}

// The real description names the same columns and levels in the same order.
func TestAdultSchemaIsTheCodebook(t *testing.T) {
	names := codebook
	if dir := os.Getenv("DPNB_DATA"); dir != "" {
		b, err := os.ReadFile(filepath.Join(dir, "adult", "adult.names"))
		if err != nil {
			t.Fatal(err)
		}
		names = string(b)
	}
	columns := datasets.AdultSchema().Columns()
	checked := 0
	for _, line := range strings.Split(names, "\n") {
		name, domain, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), "."), ": ")
		if !ok || strings.HasPrefix(name, "|") {
			continue
		}
		c := columns[checked]
		if c.Name != name {
			t.Fatalf("column %d: got %q, want %q", checked+1, c.Name, name)
		}
		if c.Kind == frames.KindCategory && strings.Join(c.Levels, ", ") != domain {
			t.Errorf("levels of %s: got %v, want %s", name, c.Levels, domain)
		}
		checked++
	}
	if checked != 14 {
		t.Errorf("checked %d columns, want 14: the description was not found", checked)
	}
}

// codebook stands in for adult.names: its column order and two of its domains.
const codebook = `
age: continuous.
workclass: Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, Without-pay, Never-worked.
fnlwgt: continuous.
education: any.
education-num: continuous.
marital-status: Married-civ-spouse, Divorced, Never-married, Separated, Widowed, Married-spouse-absent, Married-AF-spouse.
occupation: Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, Prof-specialty, Handlers-cleaners, Machine-op-inspct, Adm-clerical, Farming-fishing, Transport-moving, Priv-house-serv, Protective-serv, Armed-Forces.
relationship: Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried.
race: White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black.
sex: Female, Male.
capital-gain: continuous.
capital-loss: continuous.
hours-per-week: continuous.
native-country: United-States, Cambodia, England, Puerto-Rico, Canada, Germany, Outlying-US(Guam-USVI-etc), India, Japan, Greece, South, China, Cuba, Iran, Honduras, Philippines, Italy, Poland, Jamaica, Vietnam, Mexico, Portugal, Ireland, France, Dominican-Republic, Laos, Ecuador, Taiwan, Haiti, Columbia, Hungary, Guatemala, Nicaragua, Scotland, Thailand, Yugoslavia, El-Salvador, Trinadad&Tobago, Peru, Hong, Holand-Netherlands.
`

// Adult, real or synthetic: counts of adult.data, the label's rate, and what a logistic regression reaches.
func TestAdult(t *testing.T) {
	f, origin, err := datasets.Adult()
	if err != nil {
		t.Fatal(err)
	}
	real := os.Getenv("DPNB_DATA") != ""
	if got := strings.HasPrefix(origin, "UCI Adult"); got != real {
		t.Errorf("origin %q, want it to say where the rows came from", origin)
	}
	if real && origin != datasets.OriginUCI {
		t.Errorf("origin %q, want %q", origin, datasets.OriginUCI)
	}
	if !real && !strings.Contains(origin, "synthetic") {
		t.Errorf("origin %q, want it to say synthetic", origin)
	}
	if f.Rows() != 32561 {
		t.Errorf("got %d rows, want 32561", f.Rows())
	}
	missing, _, _, positive := tally(t, f)
	if real {
		for name, want := range map[string]int{"workclass": 1836, "occupation": 1843, "native-country": 583} {
			if missing[name] != want {
				t.Errorf("%s: got %d missing cells, want %d", name, missing[name], want)
			}
		}
		if n, ok := f.Clamped()["capital-loss"]; n != 0 || !ok {
			t.Errorf("capital-loss: got %d clamped cells (counted: %v), want 0", n, ok)
		}
	}
	if positive < 0.22 || positive > 0.26 {
		t.Errorf("got %.3f positive labels, want about 0.24", positive)
	}
	if got := accuracy(t, f); got < 0.84 || got > 0.857 {
		t.Errorf("got accuracy %.4f, want about 0.85 (majority %.3f)", got, 1-positive)
	}
}

func TestAdultNamesTheMissingFile(t *testing.T) {
	t.Setenv("DPNB_DATA", t.TempDir())
	_, _, err := datasets.Adult()
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "DPNB_DATA") {
		t.Errorf("got %v, want an error about the file that DPNB_DATA lacks", err)
	}
}

func TestSyntheticAdult(t *testing.T) {
	key := []byte("k")
	a, err := datasets.SyntheticAdult(20000, 3)
	if err != nil {
		t.Fatal(err)
	}
	again, err := datasets.SyntheticAdult(20000, 3)
	if err != nil {
		t.Fatal(err)
	}
	other, err := datasets.SyntheticAdult(20000, 4)
	if err != nil {
		t.Fatal(err)
	}
	if a.Fingerprint(key) != again.Fingerprint(key) {
		t.Error("the same seed gave two frames")
	}
	if a.Fingerprint(key) == other.Fingerprint(key) {
		t.Error("two seeds gave the same frame")
	}
	missing, levels, missingRows, positive := tally(t, a)
	n := float64(a.Rows())
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"label >50K", positive, 0.24},
		{"rows with missing cells", float64(missingRows) / n, 0.074},
		{"workclass missing", float64(missing["workclass"]) / n, 0.056},
		{"occupation missing", float64(missing["occupation"]) / n, 0.0565},
		{"native-country missing", float64(missing["native-country"]) / n, 0.018},
		{"married", float64(levels["marital-status=Married-civ-spouse"]) / n, 0.45},
		{"male", float64(levels["sex=Male"]) / n, 0.67},
		{"private", float64(levels["workclass=Private"]) / n, 0.697},
		{"capital-gain", float64(levels["capital-gain>0"]) / n, 0.08},
		{"capital-loss", float64(levels["capital-loss>0"]) / n, 0.045},
	} {
		if c.got < c.want-0.02 || c.got > c.want+0.02 { // the seed is fixed: no false alarms
			t.Errorf("%s: got a share of %.4f, want %.3f ± 0.02", c.name, c.got, c.want)
		}
	}
}

func TestSyntheticAdultWantsRows(t *testing.T) {
	for _, n := range []int{0, -1} {
		if _, err := datasets.SyntheticAdult(n, 1); !errors.Is(err, frames.ErrEmpty) {
			t.Errorf("%d rows: got %v, want ErrEmpty", n, err)
		}
	}
}

func TestWriteSyntheticAdultIsInTheFormatOfTheFile(t *testing.T) {
	var b bytes.Buffer
	if err := datasets.WriteSyntheticAdult(&b, 500, 7); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 500 {
		t.Fatalf("got %d lines, want 500", len(lines))
	}
	for i, line := range lines {
		fields := strings.Split(line, ", ")
		if len(fields) != 15 {
			t.Fatalf("line %d: got %d fields, want 15", i+1, len(fields))
		}
		if (fields[1] == "?") != (fields[6] == "?") && fields[1] != "Never-worked" {
			t.Errorf("line %d: workclass and occupation miss apart", i+1)
		}
	}
	if err := datasets.WriteSyntheticAdult(failing{}, 500, 7); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
