package dpkit

import (
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/function"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func timesFactor(by float64) func(x []float64) float64 {
	return func(x []float64) float64 { return by * x[0] }
}

func timesMean(by float64) func(dataframe.DataFrame) series.Series {
	return func(df dataframe.DataFrame) series.Series { return series.Floats(by * df.Col("a").Mean()) }
}

// TestFunctionIsKnownByItsRegistration: in a notebook, functions of one body that are made with other numbers are told apart by the
// expression that hands them over, which is in the file that calls RegisterFunc: of the face, or of the kit.
func TestFunctionIsKnownByItsRegistration(t *testing.T) {
	t.Setenv("GONB_TMP_DIR", t.TempDir()) // sources are those that the program was made of
	for name, register := range map[string]func() error{
		"double":       func() error { return RegisterFunc("code.double", "1", timesFactor(2)) },
		"treble":       func() error { return RegisterFunc("code.treble", "1", timesFactor(3)) },
		"half":         func() error { return stage.RegisterFunc("code.half", "1", timesFactor(0.5)) },
		"mean of rows": func() error { return stage.RegisterGota("code.mean", "1", []string{"a"}, timesMean(2)) },
		"its treble":   func() error { return stage.RegisterGota("code.mean3", "1", []string{"a"}, timesMean(3)) },
		"third":        func() error { return stage.RegisterFunc("code.third", "1", timesFactor(1./3)) },
	} {
		if err := register(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"code.double", "code.treble", "code.half", "code.third", "code.mean", "code.mean3"} {
		code := function.CodeOf(name, "1")
		if code == "" {
			t.Errorf("%s: its source is not seen", name)
		}
		if other, same := seen[code]; same {
			t.Errorf("%s has the code of %s: what hands it over is not looked at", name, other)
		}
		seen[code] = name
	}
}
