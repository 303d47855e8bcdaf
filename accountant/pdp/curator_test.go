package pdp

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestCuratorHides: no verb, at any depth, no encoder and no logger sees the value.
func TestCuratorHides(t *testing.T) {
	const secret = 0.123456789
	c := sealed(secret)
	type outer struct{ inner Curator[float64] }
	type exported struct{ Inner Curator[float64] }
	o := ObjectivePerturbation{Theta: []float64{0.5}, Sigma: 1, Lambda: 1, Loss: Squared{}}
	audit, err := o.Audit([][]float64{{secret}}, []float64{secret})
	if err != nil {
		t.Fatal(err)
	}
	type holder struct{ audit Audit }
	for _, v := range []any{
		c, &c,
		outer{c},
		&outer{c},
		exported{c},
		[]Curator[float64]{c},
		map[string]any{"x": outer{c}},
		audit, &audit,
		holder{audit},
		&holder{audit},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%g", "%x", "%T"} {
			if s := fmt.Sprintf(verb, v); strings.Contains(s, "12345") || strings.Contains(s, "1.2345") {
				t.Errorf("%s of %T: %s", verb, v, s)
			}
		}
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "v", v)
		if strings.Contains(b.String(), "12345") {
			t.Errorf("log of %T: %s", v, b.String())
		}
		if raw, err := json.Marshal(v); strings.Contains(string(raw), "12345") {
			t.Errorf("JSON of %T: %s, %v", v, raw, err)
		}
	}
	if _, err := json.Marshal(exported{c}); !errors.Is(err, ErrCuratorOnly) {
		t.Errorf("JSON: got %v, want ErrCuratorOnly", err)
	}
	if _, err := c.MarshalText(); !errors.Is(err, ErrCuratorOnly) {
		t.Errorf("text: got %v, want ErrCuratorOnly", err)
	}
	if _, err := c.MarshalBinary(); !errors.Is(err, ErrCuratorOnly) {
		t.Errorf("binary: got %v, want ErrCuratorOnly", err)
	}
	if err := gob.NewEncoder(&bytes.Buffer{}).Encode(exported{c}); !errors.Is(err, ErrCuratorOnly) {
		t.Errorf("gob: got %v, want ErrCuratorOnly", err)
	}
	if got := opened(t, c); got != secret {
		t.Errorf("opened: got %g", got)
	}
	if v, ok := (Curator[float64]{}).Open(); ok {
		t.Errorf("the zero value opened as %g", v)
	}
}
