package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestService: rows in JSON are answered alike by the model and by its file, and mistakes say what to mend.
func TestService(t *testing.T) {
	made, err := open("")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, body string
		code       int
		says       string
	}{
		{"a row", `{"age": 40, "work": "private"}`, http.StatusOK, `{"high":0.`},
		{"a text and a label", `{"age": "40", "work": "state", "income": "low"}`, http.StatusOK, `{"high":0.`},
		{"a missing cell", `{"age": null, "work": "none"}`, http.StatusOK, `{"high":0.`},
		{"a missing column", `{"work": "none"}`, http.StatusOK, `{"high":0.`},
		{"an unknown level", `{"age": 40, "work": "army"}`, http.StatusBadRequest, `want one of "none", "private", "state"`},
		{"outside", `{"age": 400, "work": "none"}`, http.StatusBadRequest, "want a number in [18, 90]"},
		{"no object", `[1]`, http.StatusBadRequest, "cannot unmarshal"},
		{"nothing", `null`, http.StatusBadRequest, `column "work": got a row without it`},
		{"too much", `{"age":"` + strings.Repeat("4", 1<<17) + `"}`, http.StatusBadRequest, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said [2]string
			for i, m := range []http.Handler{service(made), service(read)} {
				w := httptest.NewRecorder()
				m.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/predict", strings.NewReader(c.body)))
				said[i] = w.Body.String()
				if w.Code != c.code || !strings.Contains(said[i], c.says) {
					t.Errorf("got %d %s, want %d and %s", w.Code, said[i], c.code, c.says)
				}
			}
			if said[0] != said[1] {
				t.Errorf("the file answers %s, the model %s", said[1], said[0])
			}
		})
	}
	if _, err := open(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a file that is not there is read")
	}
}
