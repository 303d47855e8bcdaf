package accountant

import (
	"bytes"
	"testing"
)

// TestCoverByChords: the chords of a known profile are above it, and its cover is hardly more than that of the profile.
func TestCoverByChords(t *testing.T) {
	rel := ReplaceOne
	for _, mu := range []float64{0.1, 0.5, 2} {
		e := Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel}
		const delta0 = 1e-6
		exact := must[Profile](t)(e.Profile(rel))
		p := must[Profile](t)(chords(gaussianCovered{e, delta0, 0, CoverByOrders}.deltaAt(rel), delta0))
		for x := 0.0; x < 8*mu+mu*mu; x += 0.0137 * mu {
			if got, want := p(x), exact(x); !(got >= want) && want > delta0 {
				t.Errorf("μ = %v: δ(%v) = %v, exactly %v", mu, x, got, want)
			}
		}
		got, _, err := GDPOf(Covered(e, delta0, 0, CoverByOrders), rel)
		direct := must[float64](t)(GaussianCover(e, rel, delta0))
		t.Logf("μ = %v: cover %.4f by chords, %.4f directly", mu, got, direct)
		if err != nil || !(got >= direct) || !(got <= 1.05*direct) {
			t.Errorf("μ = %v: cover %v by chords, %v directly, %v", mu, got, direct, err)
		}
	}
}

// TestCoveredIsPricedAndStored: beside its failure the event costs what it does beside a mere failure, and what is read back is
// the same event.
func TestCoveredIsPricedAndStored(t *testing.T) {
	const delta0 = 1e-6
	failure := ApproxDP{Delta: delta0, Neighbours: AddRemove}
	for name, c := range map[string]struct {
		of Event
		by CoverBy
	}{
		"steps":   {Repeat(poissonStep(0.02, 1, AddRemove), 200), CoverByLosses},
		"Laplace": {Repeat(Laplace{1, 2, AddRemove}, 3), CoverByOrders},
		"mixture": {mix(50, 30, AddRemove), CoverByPrice},
	} {
		t.Run(name, func(t *testing.T) {
			e := Compose(Covered(c.of, delta0, 0, c.by), failure)
			plain := Compose(c.of, failure)
			got, err := Best(e, AddRemove, 1e-5, BestOptions{})
			want, err2 := Best(plain, AddRemove, 1e-5, BestOptions{})
			if err != nil || err2 != nil || got.Epsilon > want.Epsilon*1.001+1e-12 {
				t.Errorf("costs %v by %s, %v; the event beside a failure %v by %s, %v", got, got.Route, err, want, want.Route, err2)
			}
			if _, err := BestDelta(e, AddRemove, got.Epsilon, BestOptions{}); err != nil {
				t.Error(err)
			}
			raw, err := Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			back, err := Unmarshal(raw)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Marshal(back)
			if err != nil || !bytes.Equal(raw, again) {
				t.Errorf("stored as %s, again as %s, %v", raw, again, err)
			}
			a, tv, err := GDPOf(Covered(c.of, delta0, 0.5e-9, c.by), AddRemove)
			if err != nil || !(a > 0) || tv != 0.5e-9 {
				t.Errorf("μ = %g, tv = %g, %v", a, tv, err)
			}
		})
	}
	for name, e := range map[string]Event{
		"nil":      Covered(nil, delta0, 0, CoverByPrice),
		"failure":  Covered(failure, 0, 0, CoverByPrice),
		"distance": Covered(failure, delta0, -1, CoverByPrice),
		"by":       Covered(failure, delta0, 0, "x"),
	} {
		if _, err := e.RDP(AddRemove); err == nil {
			t.Errorf("%s: RDP: no error", name)
		}
		if _, _, err := GDPOf(e, AddRemove); err == nil {
			t.Errorf("%s: GDP: no error", name)
		}
		if _, err := PLD(e, AddRemove); err == nil {
			t.Errorf("%s: PLD: no error", name)
		}
	}
}

// TestCoversAreKept: a cover that was computed is found again with the same bits, and events that differ are not taken for each other.
func TestCoversAreKept(t *testing.T) {
	find := func(e Event, delta0, tv float64, rel Neighbours) [2]float64 {
		mu, distance, err := GDPOf(Covered(e, delta0, tv, CoverByPrice), rel)
		if err != nil {
			t.Fatal(err)
		}
		return [2]float64{mu, distance}
	}
	mix := func(k int) Event { return GaussMix{K: k, Gamma: 400, Neighbours: AddRemove} }
	first := find(mix(3), 1e-9, 0, AddRemove)
	if again := find(mix(3), 1e-9, 0, AddRemove); again != first {
		t.Errorf("again: got %g, want %g", again, first)
	}
	if other := find(mix(4), 1e-9, 0, AddRemove); other[0] == first[0] {
		t.Errorf("four rows cost what three cost, μ = %g", other[0])
	}
	if other := find(mix(3), 1e-7, 0, AddRemove); !(other[0] < first[0]) {
		t.Errorf("a larger failure: got μ = %g, want less than %g", other[0], first[0])
	}
	if other := find(mix(3), 1e-9, 1e-9, AddRemove); other[1] != 1e-9 {
		t.Errorf("distance: got %g, want 1e-9", other[1])
	}
	if !isLeaf(mix(3)) || isLeaf(Compose(mix(3), mix(3))) || isLeaf(Covered(mix(3), 1e-9, 0, CoverByPrice)) || isLeaf(foreign{mix(3)}) {
		t.Error("leaves: want those of this package alone")
	}
}

// foreign is an event of another package's.
type foreign struct{ Event }

// TestCoveredCompositionsArePriced: covers of compositions, which do not compare, are priced beside each other.
func TestCoveredCompositionsArePriced(t *testing.T) {
	of := Covered(Compose(Gaussian{Sensitivity: 1, Sigma: 5, Neighbours: ReplaceOne}, Exponential{Epsilon: 0.1, Neighbours: ReplaceOne}), 1e-9, 0, CoverByPrice)
	g, err := EpsilonOf(Compose(of, of, ApproxDP{Delta: 2e-9, Neighbours: ReplaceOne}), ReplaceOne, 1e-6)
	if err != nil || !(g.Epsilon > 0.5 && g.Epsilon < 3) {
		t.Errorf("got %v (%v)", g, err)
	}
}
