package dpkit

import (
	"errors"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestPredictOther: a text that no codebook lists is the level for the rest where a row comes from a program, as it is in a file.
func TestPredictOther(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("school", "graduate", "university").Other("other"), frames.NumericLabel("pay", 0, 10)))
	rows := make([][]float64, 60)
	for i := range rows {
		rows[i] = []float64{float64(i % 3), float64(3 * (i % 3))}
	}
	session := must(Demo(frameOf(t, schema, rows), 1, ReplaceOne))
	m := must(session.Data().OneHot().FitLinear(AdaSSP{Epsilon: 50, Delta: 1e-6}).Release(t.Context())).Value
	want := must(m.PredictRow(map[string]any{"school": "other"}))
	for _, text := range []any{"5", 5, "no school"} {
		if got := must(m.PredictRow(map[string]any{"school": text})); got != want {
			t.Errorf("%v: got %g, want %g as the other level", text, got, want)
		}
	}
	if _, err := m.PredictRow(map[string]any{"school": " graduate"}); !errors.Is(err, frames.ErrLevel) {
		t.Errorf("a level with a blank before it: got %v, want ErrLevel", err)
	}
	if _, err := m.PredictRow(map[string]any{"school": nil}); err == nil {
		t.Error("a missing cell was taken for a level")
	}
}
