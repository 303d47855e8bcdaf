package dpkit

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
)

// Who holds the ledger file alone and guesses the very rows cannot tell that the guess is right: no
// string in the file, as it stands or decoded, is the key of the fingerprints in it. With the key, which
// stands elsewhere, the guess is confirmed.
func TestLedgerFileAloneConfirmsNoGuess(t *testing.T) {
	f := tinyFrame(t, 60, 1)
	path := ledgerPath(t)
	s := private(t, f, path, Budget{Epsilon: 3, Delta: 1e-5})
	must(standard(s, ByGradient{Epsilon: 1, Delta: 1e-6}).Release(context.Background()))
	file := string(must(os.ReadFile(path)))
	confirms := func(key []byte) bool {
		content := must(frames.ContentOf(t.Context(), f))
		sum := must(content.Fingerprint(key, "age"))
		return strings.Contains(file, hex.EncodeToString(sum[:]))
	}
	if !confirms(must(s.ledger.Key())) {
		t.Fatal("the file does not hold the fingerprint: the test tests nothing")
	}
	words := regexp.MustCompile(`[A-Za-z0-9+/=_.-]+`).FindAllString(file, -1)
	if len(words) < 50 {
		t.Fatalf("%d words in the file", len(words))
	}
	for _, w := range append(words, "") {
		keys := [][]byte{[]byte(w)}
		if k, err := hex.DecodeString(w); err == nil {
			keys = append(keys, k)
		}
		if k, err := base64.StdEncoding.DecodeString(w); err == nil {
			keys = append(keys, k)
		}
		for _, k := range keys {
			if confirms(k) {
				t.Errorf("with %q as the key the file confirms the rows", w)
			}
		}
	}
}

func TestOptionsOfTheLedger(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	t.Cleanup(func() {
		for _, name := range []string{"project.ledger", "over", "one", "two"} {
			_ = ledger.Forget(filepath.Join(dir, name))
		}
	})
	f, target := tinyFrame(t, 60, 1), ByGradient{Epsilon: 1, Delta: 1e-6}
	budget := Budget{Epsilon: 3, Delta: 1e-5}
	project := must(ledger.Create(filepath.Join(dir, "project.ledger"), ledger.Config{
		Budget: Budget{Epsilon: 1.2, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "the project",
	}))
	defer project.Close()
	open := func(name string, change func(*Options)) *Session {
		o := Options{Ledger: filepath.Join(dir, name), Budget: budget, Neighbours: ReplaceOne, Dataset: name}
		change(&o)
		s := must(Create(f, o))
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	over := open("over", func(o *Options) { o.Expires = time.Now().Add(-time.Hour) })
	if _, err := standard(over, target).Release(ctx); !errors.Is(err, ledger.ErrExpired) {
		t.Errorf("got %v, want ErrExpired", err)
	}
	one := open("one", func(o *Options) { o.Project = "project.ledger" })
	two := open("two", func(o *Options) { o.Project = "project.ledger" })
	r := must(standard(one, target).Release(ctx))
	if p := r.Status.Project; p == nil || p.Releases != 1 {
		t.Errorf("status %v", r.Status)
	}
	if _, err := standard(two, target).Release(ctx); !errors.Is(err, ledger.ErrBudget) || !strings.Contains(err.Error(), "project") {
		t.Errorf("got %v, want the project's ErrBudget", err)
	}
	if r := must(standard(one, target).Release(ctx)); !r.Replayed {
		t.Error("drawn again")
	}
	// A deleted ledger is no fresh budget.
	if err := os.Remove(filepath.Join(dir, "one")); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(f, Options{Ledger: filepath.Join(dir, "one"), Budget: budget, Neighbours: ReplaceOne, Dataset: "one"}); !errors.Is(err, ledger.ErrMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
}

// The statement names the chain, the event with its parameters, and the papers.
func TestReleasesStateThemselves(t *testing.T) {
	s := private(t, tinyFrame(t, 60, 1), ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5})
	plan := standard(s, ByGradient{Epsilon: 1, Delta: 1e-6})
	must(plan.Release(context.Background()))
	st := must(s.ledger.Statement())
	r := st.Releases[0]
	if !strings.HasPrefix(r.Mechanism, "OneHot().Impute(Mean{}).Scale().") || !strings.Contains(r.Mechanism, "Logistic") {
		t.Errorf("mechanism %q", r.Mechanism)
	}
	if !strings.Contains(r.Reference, "Hu, Sanyal, Schölkopf 2024, Cor. 4") || !strings.Contains(r.Reference, "Thm 13") {
		t.Errorf("reference %q", r.Reference)
	}
	e, err := accountant.Unmarshal(r.Parameters)
	if err != nil || e.String() != r.Event {
		t.Errorf("parameters %s (%v), want those of %s", r.Parameters, err, r.Event)
	}
	if !json.Valid(r.Parameters) || !st.Total.Holds {
		t.Errorf("statement %+v", st)
	}
}

func TestShortened(t *testing.T) {
	for _, s := range []string{"", strings.Repeat("x", 4000), strings.Repeat("ε", 2001), "x" + strings.Repeat("ε", 3000)} {
		got := shortened(s)
		if len(got) > 4000 || strings.ToValidUTF8(got, "") != got || (len(s) <= 4000) != (got == s) {
			t.Errorf("%d bytes became %d", len(s), len(got))
		}
	}
}

// A release far down in recursion is still one of an initialiser.
var initialisedDeep = func() bool {
	var down func(n int) bool
	down = func(n int) bool {
		if n > 0 {
			return down(n - 1)
		}
		return calledFromInitialiser()
	}
	return down(500)
}()

func TestInitialiserIsRecognisedFarDown(t *testing.T) {
	if !initialisedDeep {
		t.Error("an initialiser 500 calls away was not recognised")
	}
}
