package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// raisedConfig is testConfig with a reserve.
func raisedConfig() Config {
	c := testConfig()
	c.Reserve = c.Budget.Delta / 4
	return c
}

// TestRaiseReserve: a larger reserve is taken over until the first charge, durably and for every handle, and the ledger then charges as one
// that was made with it. Nothing else of the configuration changes, and behind a charge nothing does.
func TestRaiseReserve(t *testing.T) {
	path, want := tempPath(t), raisedConfig()
	old := mustCreate(t, path, testConfig())
	other := mustOpen(t, path) // of another program
	e := failing(t, strings.Repeat("a", 64), 0.01, want.Reserve/2)
	_, err := old.Release(t.Context(), e, drawNothing)
	says(t, err, ErrBudget, "a Reserve of 1.25e-07 is enough", "nothing was charged yet", "Options.Reserve")
	if why := old.Refusal(e.Event); !strings.Contains(why, "Reserve of 1.25e-07") {
		t.Errorf("before: %q", why)
	}
	for name, c := range map[string]Config{
		"another budget": {Budget: accountant.Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: want.Neighbours, Dataset: want.Dataset, Reserve: want.Reserve},
		"another name":   {Budget: want.Budget, Neighbours: want.Neighbours, Dataset: "other", Reserve: want.Reserve},
	} {
		if _, err := OpenOrCreate(path, c); !errors.Is(err, ErrConfig) || mustOpen(t, path).Config() != testConfig() {
			t.Fatalf("%s: %v, and the file has %+v", name, err, mustOpen(t, path).Config())
		}
	}
	l, err := OpenOrCreate(path, want)
	must(t, err)
	defer l.Close()
	again, err := OpenOrCreate(path, want)
	must(t, err)
	defer again.Close()
	if b := readText(t, path); strings.Count(b, `"kind":"reserve"`) != 1 {
		t.Errorf("the file holds\n%s", b)
	}
	made := mustCreate(t, tempPath(t), want)
	reader, err := OpenReader(path)
	must(t, err)
	defer reader.Close()
	for name, h := range map[string]*Ledger{"raised": l, "opened again": mustOpen(t, path), "open before": other, "read": reader} {
		s := mustStatus(t, h)
		if h.Config() != want || s.Reserve != want.Reserve || h.Refusal(e.Event) != "" {
			t.Errorf("%s: %+v, reserve %v, refuses %q", name, h.Config(), s.Reserve, h.Refusal(e.Event))
		}
		if h.hist.filter.muStar2.Cmp(made.hist.filter.muStar2) != 0 || h.hist.filter.deltaMu != made.hist.filter.deltaMu {
			t.Errorf("%s: μ*² = %v, want that of a ledger made so, %v", name, h.hist.filter.muStar2, made.hist.filter.muStar2)
		}
	}
	if _, err := OpenOrCreate(path, testConfig()); !errors.Is(err, ErrConfig) {
		t.Errorf("a smaller reserve: %v", err)
	}
	must(t, l.RaiseReserve(t.Context(), want.Reserve/2)) // there is more
	if err := l.RaiseReserve(t.Context(), want.Budget.Delta); err == nil || l.Config() != want {
		t.Errorf("all of δ: %v, %+v", err, l.Config())
	}
	says(t, reader.RaiseReserve(t.Context(), want.Reserve*2), ErrReadOnly)
	if _, err := other.Release(t.Context(), e, drawNothing); err != nil {
		t.Fatal(err)
	}
	more := want
	more.Reserve *= 2
	_, err = OpenOrCreate(path, more)
	says(t, err, ErrConfig, "until the first charge", "may not depend on what was released")
	says(t, l.RaiseReserve(t.Context(), more.Reserve), ErrConfig, "until the first charge")
	if got := mustOpen(t, path); got.Config() != want {
		t.Errorf("the file has %+v", got.Config())
	}
	_, err = l.Release(t.Context(), failing(t, strings.Repeat("b", 64), 0.01, want.Reserve), drawNothing)
	says(t, err, ErrBudget, "a Reserve of 3.75001e-07 is enough", "until the first charge")
}

// TestRaiseReserveTorn: wherever a crash ends the record, the ledger is as before or as behind it, and can be raised then.
func TestRaiseReserveTorn(t *testing.T) {
	path, want := tempPath(t), raisedConfig()
	l := mustCreate(t, path, testConfig())
	before := len(readText(t, path))
	must(t, l.RaiseReserve(t.Context(), want.Reserve))
	must(t, l.Close())
	whole := readText(t, path)
	for n := before; n <= len(whole); n++ {
		must(t, os.WriteFile(path, []byte(whole[:n]), 0o600))
		l, err := Open(path)
		must(t, err)
		is := testConfig()
		if n >= len(whole)-1 { // without the newline it is a record that was perhaps seen
			is = want
		}
		if l.Config() != is {
			t.Fatalf("%d bytes of %d: %+v", n-before, len(whole)-before, l.Config())
		}
		must(t, l.RaiseReserve(t.Context(), want.Reserve))
		must(t, l.Close())
		if l = mustOpen(t, path); l.Config() != want {
			t.Fatalf("%d bytes of %d: raised again, %+v", n-before, len(whole)-before, l.Config())
		}
	}
}

// TestRaiseReserveForged: a record that raises behind a charge, lowers, or takes all of δ does not verify.
func TestRaiseReserveForged(t *testing.T) {
	for name, c := range map[string]struct {
		charge bool
		p      raise
	}{
		"behind a charge": {true, raise{1e-7, 0.1}}, "nothing": {false, raise{0, 0.1}}, "below 0": {false, raise{-1e-7, 0.1}},
		"all of δ": {false, raise{1e-6, 0.1}}, "no μ": {false, raise{1e-7, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			path := tempPath(t)
			l := mustCreate(t, path, testConfig())
			if c.charge {
				mustRelease(t, l, request("a", 0.01), `1`)
			}
			line, err := newRecord(l.hist.lines, l.now(), kindReserve, c.p, l.hist.prev)
			must(t, err)
			must(t, os.WriteFile(path, append([]byte(readText(t, path)), append(line, '\n')...), 0o600))
			if _, err := Open(path); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
		})
	}
	// A μ above that of the configuration is not believed.
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	line, err := newRecord(l.hist.lines, l.now(), kindReserve, raise{1e-7, 9}, l.hist.prev)
	must(t, err)
	must(t, os.WriteFile(path, append([]byte(readText(t, path)), append(line, '\n')...), 0o600))
	c := testConfig()
	c.Reserve = 1e-7
	if got, want := mustOpen(t, path).hist.filter.muStar2, mustCreate(t, tempPath(t), c).hist.filter.muStar2; got.Cmp(want) != 0 {
		t.Errorf("μ*² = %v, want %v", got, want)
	}
}

// TestRaiseReserveBehindCheckpoints: a ledger that was raised reads the same by its checkpoints as by every record.
func TestRaiseReserveBehindCheckpoints(t *testing.T) {
	path, want := tempPath(t), raisedConfig()
	l, err := create(path, testConfig(), often(3))
	must(t, err)
	must(t, l.RaiseReserve(t.Context(), want.Reserve))
	for i := range 9 {
		mustRelease(t, l, request(fmt.Sprint(i), 0.01), `1`)
		b := []byte(readText(t, path))
		h, err := bothWays(t, b, func(h *header) []byte { return h.tryKey(path) })
		must(t, err)
		if h.config != want || h.filter.kept != want.Reserve || h.filter.muStar2.Cmp(l.hist.filter.muStar2) != 0 {
			t.Fatalf("behind %d releases: %+v, μ*² %v, want %v", i+1, h.config, h.filter.muStar2, l.hist.filter.muStar2)
		}
		if i == 8 && (h.mark.at == 0 || !bytes.Contains(b, []byte(`"raised":{"reserve":`))) {
			t.Error("there is no checkpoint")
		}
	}
	must(t, l.Close())
}

// TestRefusal names what even a fresh ledger lacks, of the ledger and of its project, and is the same behind releases.
func TestRefusal(t *testing.T) {
	dir := tempDir(t)
	mustCreate(t, filepath.Join(dir, "project"), testConfig())
	c := raisedConfig()
	c.Project = "project"
	l := mustCreate(t, filepath.Join(dir, "own"), c)
	rel := c.Neighbours
	alone := mustCreate(t, filepath.Join(dir, "alone"), testConfig())
	for name, of := range map[string]struct {
		l    *Ledger
		e    accountant.Event
		want string
	}{
		"fits":                {l, accountant.Gaussian{Sensitivity: 0.1, Sigma: 1, Neighbours: rel}, ""},
		"the project's":       {l, failing(t, "", 0.01, 1e-8).Event, "the project's ledger: it may fail"},
		"no reserve":          {alone, failing(t, "", 0.01, 1e-8).Event, "a Reserve of 1e-08 is enough"},
		"more than the δ":     {alone, failing(t, "", 0.01, 1e-3).Event, "ask for a smaller δ in the release"},
		"more than the ε":     {alone, accountant.Gaussian{Sensitivity: 5, Sigma: 1, Neighbours: rel}, "whose budget is ε = 1"},
		"no way to charge it": {alone, accountant.ZCDP{Rho: 0.1, Neighbours: rel}, "event"},
	} {
		t.Run(name, func(t *testing.T) {
			got := of.l.Refusal(of.e)
			if (of.want == "") != (got == "") || !strings.Contains(got, of.want) {
				t.Errorf("got %q, want %q", got, of.want)
			}
			mustRelease(t, of.l, fresh(request("a", 0.1)), `1`)
			if again := of.l.Refusal(of.e); again != got {
				t.Errorf("behind a release: %q, before %q", again, got)
			}
		})
	}
}

// TestRaiseReserveLateIsFalse: an adversary who may raise the reserve behind a release costs more than the budget. The release is Gaussian;
// where its output speaks for one dataset he raises, and everything is then told with the probability that was set aside, else he goes on by
// Gaussian noise. Both are within their own budget of (ε, δ).
func TestRaiseReserveLateIsFalse(t *testing.T) {
	c := testConfig()
	epsilon, delta := c.Budget.Epsilon, c.Budget.Delta
	// h is δ of a Gaussian pair, at any real ε.
	h := func(epsilon, mu float64) float64 {
		normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		return normal(-epsilon/mu+mu/2) - math.Exp(epsilon)*normal(-epsilon/mu-mu/2)
	}
	m := gaussianOf(t, c.Budget)
	most := 0.0
	for _, share := range []float64{0.5, 0.9, 0.99} {
		failure := share * delta
		raised := gaussianOf(t, accountant.Budget{Epsilon: epsilon, Delta: delta - failure})
		for k := 1.0; k < 40; k++ {
			mu := raised * k / 40
			on, behind := math.Sqrt(m*m-mu*mu), math.Sqrt(raised*raised-mu*mu)
			told := 0.0
			const width, cells = 20, 2000
			for i := range cells {
				x := mu - width/2 + width*(float64(i)+0.5)/cells
				at := epsilon - mu*x + mu*mu/2
				told += math.Exp(-(x-mu)*(x-mu)/2) / math.Sqrt(2*math.Pi) * max(h(at, on), failure+h(at, behind)) * width / cells
			}
			most = max(most, told)
		}
	}
	t.Logf("δ = %.4g for a budget of %g", most, delta)
	if !(most > 1.9*delta) || !(most <= 2*delta*(1+1e-6)) {
		t.Errorf("δ = %g, want nearly twice the budget's %g, which is most by a union of both", most, delta)
	}
}

// gaussianOf is the largest μ within a budget.
func gaussianOf(t testing.TB, b accountant.Budget) float64 {
	t.Helper()
	mu, err := accountant.CalibrateGaussian(b)
	must(t, err)
	return mu
}
