package ledger

import (
	"fmt"
	"strings"
	"testing"
)

// TestLedgerDoesNotPrintItsKey: who has the key can test guesses of the rows against the IDs.
func TestLedgerDoesNotPrintItsKey(t *testing.T) {
	l := mustCreate(t, tempPath(t), testConfig())
	key, err := l.Key()
	must(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
		got := fmt.Sprintf(verb, l)
		for _, spelling := range []string{fmt.Sprint(key[:4]), fmt.Sprintf("%x", key[:4]), fmt.Sprintf("%#v", key[:4])} {
			if bare := strings.Trim(spelling, "[]byte{}"); strings.Contains(got, bare) {
				t.Errorf("%s prints the key: %s", verb, got)
			}
		}
		if want := `privacy ledger of "adult": ε = 1, δ = 1e-06, replace-one`; got != want {
			t.Errorf("%s: got %s, want %s", verb, got, want)
		}
	}
}
