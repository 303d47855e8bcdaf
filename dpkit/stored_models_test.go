package dpkit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// storedModel is a model of a file of its own: it can be checked, and notes where it came from.
type storedModel interface {
	Check() error
	origin.Carrier
}

// modelTypes are the models that mechanisms release.
func modelTypes(t *testing.T) map[string]reflect.Type {
	t.Helper()
	found := map[string]reflect.Type{}
	for _, k := range knownMechanisms() {
		of := reflect.TypeOf(k.of)
		for i := range of.NumMethod() {
			m := of.Method(i).Type
			if m.NumOut() != 2 {
				continue
			}
			if v := m.Out(0); reflect.PointerTo(v).Implements(reflect.TypeFor[storedModel]()) {
				found[v.Name()] = v
			}
		}
	}
	return found
}

// TestStoredModels: files of before are read, and written byte by byte as they were. testdata/models holds a release of every
// kind of model on the frozen ledgers' rows, written by the code of commit e0270af.
func TestStoredModels(t *testing.T) {
	kinds := modelTypes(t)
	files, err := filepath.Glob(filepath.Join("testdata", "models", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(kinds) || len(files) < 9 {
		t.Errorf("%d files for %d kinds of models, want one for each, and at least 9", len(files), len(kinds))
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			was, err := os.ReadFile(filepath.Join("testdata", "models", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			was = bytes.TrimSuffix(was, []byte("\n"))
			m := reflect.New(kind)
			if err := json.Unmarshal(was, m.Interface()); err != nil {
				t.Fatal(err)
			}
			if is := must(json.Marshal(m.Elem().Interface())); !bytes.Equal(is, was) {
				t.Errorf("got  %s\nwant %s", is, was)
			}
			for other, kind := range kinds {
				if err := json.Unmarshal(was, reflect.New(kind).Interface()); (err == nil) != (other == name) {
					t.Errorf("read as a %s: got %v", other, err)
				}
			}
			if header := `{"format":"dpkit.` + name + `","version":1,`; !strings.HasPrefix(string(was), header) {
				t.Errorf("the file begins with %.60s, want %s", was, header)
			}
		})
	}
}

// TestFitsInModels: the methods that stored models name are those of before, and no others.
func TestFitsInModels(t *testing.T) {
	for _, c := range []struct{ is, want string }{
		{models.BestLinear, ""},
		{models.LinearMixing, "mixing"},
		{models.AdaSSP, "adassp"},
		{models.LabelMean, "mean of the label"},
		{models.OutputPerturbation, "output perturbation"},
		{models.RelativeGaussianDescent, "relative Gaussian descent"},
		{models.Sheffet2017, "sheffet 2017"},
		{models.Sheffet2017Exact, "sheffet 2017, exact"},
		{models.HuberByObjective, "huber, objective perturbation"},
		{models.LocalMethod(models.ClippedNoise), "local training, clipped noise"},
		{models.LocalMethod(models.RelativeNoise), "local training, relative noise"},
	} {
		if c.is != c.want || models.KnownFit(c.is) != nil {
			t.Errorf("got %q, %v, want %q", c.is, models.KnownFit(c.is), c.want)
		}
	}
	if models.KnownFit("ols") == nil {
		t.Error(`"ols" is known`)
	}
}
