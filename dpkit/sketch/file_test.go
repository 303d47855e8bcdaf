package sketch

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// stored is a sketch with what it promises, and its file.
func stored() (Sketch, string) {
	s := noisy()
	s.Provenance = origin.Provenance{Release: "GaussMix(ε = 1)", NotPrivate: "a test", Dataset: "made up"}
	return s, string(must(json.Marshal(s)))
}

// TestSketchFile: what is read back is the sketch, tells its guarantee, and regresses to the bit.
func TestSketchFile(t *testing.T) {
	s, raw := stored()
	if !strings.HasPrefix(raw, `{"format":"dpkit.Sketch","version":1,"columns":`) {
		t.Errorf("the file begins %.60s", raw)
	}
	var back Sketch
	if err := json.Unmarshal([]byte(raw), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s, back) || string(must(json.Marshal(back))) != raw {
		t.Errorf("%+v became %+v", s, back)
	}
	if a, b := must(s.Regress("y")), must(back.Regress("y")); a.String() != b.String() || !reflect.DeepEqual(must(a.Intervals(0.9)), must(b.Intervals(0.9))) {
		t.Errorf("regression\n%v\nbecame\n%v", a, b)
	}
	if a, b := must(s.Components(2)), must(back.Components(2)); !reflect.DeepEqual(a, b) || a.Promise() != s.Promise() {
		t.Errorf("components %v became %v", a, b)
	}
	reg := must(back.Regress("y"))
	var read Regression
	if err := json.Unmarshal(must(json.Marshal(reg)), &read); err != nil || read.Promise() != s.Promise() || !reflect.DeepEqual(read.Coef, reg.Coef) {
		t.Errorf("read %+v, %v", read, err)
	}
	if _, err := read.Intervals(0.9); err == nil || !strings.Contains(err.Error(), "call Regress of the sketch") {
		t.Errorf("intervals of a regression that was read: %v", err)
	}
}

// TestSketchOfBefore: a sketch of a ledger from before says a bound on its noise; regressing on it would take off too much.
func TestSketchOfBefore(t *testing.T) {
	const was = `{"columns":["x","y"],"inner":[40,3,3,90],"rows":5,"sigma":2,"label_mid":0,"label_unit":1}`
	var s Sketch
	if err := json.Unmarshal([]byte(was), &s); err != nil || !s.sigmaIsBound || s.Sigma != 2 {
		t.Fatalf("got %+v, %v", s, err)
	}
	if _, err := s.Regress("y"); !errors.Is(err, models.ErrRefused) {
		t.Errorf("got %v", err)
	}
	var again Sketch
	if err := json.Unmarshal(must(json.Marshal(s)), &again); err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("stored anew it became %+v, %v", again, err)
	}
	public := strings.Replace(was, `"sigma":2`, `"sigma":0`, 1)
	if err := json.Unmarshal([]byte(public), &s); err != nil || s.sigmaIsBound {
		t.Errorf("public rows: got %+v, %v", s, err)
	}
}

func TestSketchFileRefuses(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"another kind", "dpkit.Sketch", "dpkit.LinearModel", `got format "dpkit.LinearModel"`},
		{"no format", `"format":"dpkit.Sketch",`, ``, `got format "" version 1`},
		{"a newer version", `"version":1`, `"version":2`, "newer version of this library"},
		{"an unknown field", `"rows":`, `"row":`, `"row"`},
		{"a name twice", `"x2"`, `"x1"`, "different names"},
		{"an empty name", `"x2"`, `""`, "different names"},
		{"a column less", `["x1",`, `[`, "9 numbers for 2 columns"},
		{"an entry less", `"inner":[`, `"inner":[],"rows":40,"x":[`, `"x"`},
		{"an entry changed", `"inner":[`, `"inner":[1,2,3,4,5,6,7,8,9],"x":[`, `"x"`},
		{"no rows", `"rows":40`, `"rows":0`, "rows: got 0"},
		{"negative noise", `"sigma":1`, `"sigma":-1`, "sigma: got -1"},
		{"a number too large", `"sigma":1`, `"sigma":1e999`, "1e999"},
		{"negative cover", `"cover":`, `"cover":-`, "cover: got -"},
		{"no unit", `"label_unit":25`, `"label_unit":0`, "unit above 0"},
		{"two promises", `"not_private":`, `"guarantee":{"epsilon":1,"delta":0,"neighbours":"add/remove","scope":{"kind":"unconditional"},"route":""},"not_private":`, "not private"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, raw := stored()
			damaged := strings.Replace(raw, c.from, c.to, 1)
			if damaged == raw {
				t.Fatalf("%q is not in %s", c.from, raw)
			}
			var s Sketch
			err := json.Unmarshal([]byte(damaged), &s)
			if !errors.Is(err, models.ErrModelFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrModelFile and %q", err, c.want)
			}
			if s.Inner != nil {
				t.Error("a refused file left a sketch")
			}
		})
	}
	for _, inner := range []string{`[1,2,3,4]`, `[1,2,2]`, `[]`, `null`} {
		var s Sketch
		raw := `{"format":"dpkit.Sketch","version":1,"columns":["a","y"],"inner":` + inner + `,"rows":5,"sigma":2,"label_mid":0,"label_unit":1}`
		if err := json.Unmarshal([]byte(raw), &s); !errors.Is(err, models.ErrModelFile) || !strings.Contains(err.Error(), "inner products") {
			t.Errorf("%s: got %v", inner, err)
		}
	}
}

// FuzzSketchFile: what is read is written the same way again, and answers or refuses without panic and with finite numbers.
func FuzzSketchFile(f *testing.F) {
	_, raw := stored()
	f.Add([]byte(raw))
	f.Add([]byte(`{"columns":["x","y"],"inner":[40,3,3,90],"rows":5,"sigma":2,"label_mid":0,"label_unit":1}`))
	f.Add([]byte(`{"format":"dpkit.Sketch","version":1,"columns":["a","b","y"],"inner":[1e300,0,1,0,1e-300,1,1,1,1e308],"rows":1048576,"sigma":1e-300,"label_mid":-1e308,"label_unit":1e-308}`))
	f.Add([]byte(`{"format":"dpkit.Sketch","version":1,"columns":["a","b","y"],"inner":[-1,5,0,5,0,0,0,0,1e308],"rows":1,"sigma":0,"label_mid":0,"label_unit":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s Sketch
		if json.Unmarshal(raw, &s) != nil || s.Check() != nil {
			return
		}
		var back Sketch
		once := must(json.Marshal(s))
		if err := json.Unmarshal(once, &back); err != nil || string(must(json.Marshal(back))) != string(once) {
			t.Fatalf("%s became %+v, %v", once, back, err)
		}
		label := s.Columns[len(s.Columns)-1]
		if r, err := s.Regress(label); err == nil {
			for _, c := range append(r.Coef, r.Intercept) {
				if c-c != 0 {
					t.Fatalf("%s gives %v", once, r.Coef)
				}
			}
			if _, err := json.Marshal(r); err != nil {
				t.Fatalf("%s gives %+v, which is no JSON: %v", once, r, err)
			}
			if found, err := r.Intervals(0.9); err == nil {
				for j, i := range found {
					if !(i.Lo <= r.Coef[j] && r.Coef[j] <= i.Hi) {
						t.Fatalf("%s gives %v in %+v", once, r.Coef[j], i)
					}
				}
			}
		}
		if c, err := s.Components(1, s.Columns...); err == nil {
			if _, err := json.Marshal(c); err != nil {
				t.Fatalf("%s gives %+v, which is no JSON: %v", once, c, err)
			}
		}
	})
}
