package accountant

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"

	"github.com/dpkit-go/dpnb/internal/golden"
)

var update = flag.Bool("update", false, "rewrite testdata/events.json; review it as a diff")

// TestStorableIsComplete: every kind that can be stored is in the tests below, and is.
func TestStorableIsComplete(t *testing.T) {
	seen := map[reflect.Type]bool{}
	for name, e := range storable() {
		seen[reflect.TypeOf(e)] = true
		raw, err := Marshal(e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if back, err := Unmarshal(raw); err != nil || !reflect.DeepEqual(e, back) {
			t.Errorf("%s: %#v became %#v, %v, through %s", name, e, back, err, raw)
		}
	}
	for kind, typ := range leafTypes {
		if !seen[typ] {
			t.Errorf("kind %q: no event of the type %v in storable()", kind, typ)
		}
	}
}

// randomEvent nests leaves with random parameters.
func randomEvent(rng *rand.Rand, depth int) Event {
	leaves := storable()
	names := make([]string, 0, len(leaves))
	for name := range leaves {
		names = append(names, name)
	}
	switch k := rng.IntN(4); {
	case depth > 0 && k == 0:
		parts := make([]Event, rng.IntN(4))
		for i := range parts {
			parts[i] = randomEvent(rng, depth-1)
		}
		return Compose(parts...)
	case depth > 0 && k == 1:
		switch rng.IntN(4) {
		case 0:
			return Group(randomEvent(rng, depth-1), rng.IntN(10))
		case 1:
			return AsReplaceOne(randomEvent(rng, depth-1))
		}
		return Repeat(randomEvent(rng, depth-1), 1+rng.IntN(1000))
	}
	v := reflect.New(reflect.TypeOf(leaves[names[rng.IntN(len(names))]])).Elem()
	scramble(rng, v)
	return v.Interface().(Event)
}

// scramble fills every field with something that can be stored.
func scramble(rng *rand.Rand, v reflect.Value) {
	if r, ok := v.Addr().Interface().(*Neighbours); ok {
		*r = []Neighbours{ReplaceOne, AddRemove}[rng.IntN(2)]
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			scramble(rng, v.Field(i))
		}
	case reflect.Slice:
		if n := rng.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				scramble(rng, v.Index(i))
			}
		}
	case reflect.Float64:
		v.SetFloat([]float64{rng.NormFloat64(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, math.MaxFloat64, math.Exp(300 * rng.NormFloat64())}[rng.IntN(8)])
	case reflect.Int:
		v.SetInt(int64(rng.Uint64()))
	case reflect.Uint8:
		v.SetUint(uint64(rng.IntN(256)))
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.String:
		v.SetString([]string{"", "plain", "<&>\u2028\"\\", "ε ≤ 1"}[rng.IntN(4)])
	}
}

func TestCodecRoundTrip(t *testing.T) {
	single.Goroutine(t)
	rng := rand.New(rand.NewPCG(31, 32))
	stored := 0
	for range 3000 {
		e := randomEvent(rng, 3)
		raw, err := Marshal(e)
		if err != nil {
			// A field with its own text form refuses what it does not know.
			if !errors.Is(err, ErrCodec) {
				t.Fatalf("%v: %v", e, err)
			}
			continue
		}
		stored++
		if !json.Valid(raw) {
			t.Fatalf("%v: not JSON: %s", e, raw)
		}
		back, err := Unmarshal(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if !sameEvent(e, back) {
			t.Fatalf("%#v became %#v through %s", e, back, raw)
		}
		again, err := Marshal(back)
		if err != nil || string(again) != string(raw) {
			t.Fatalf("%s became %s, %v", raw, again, err)
		}
	}
	if stored < 1000 {
		t.Errorf("only %d events were stored", stored)
	}
}

// sameEvent compares events, with lists of no parts alike.
func sameEvent(a, b Event) bool {
	ca, ok1 := a.(composition)
	cb, ok2 := b.(composition)
	if ok1 && ok2 && len(ca.parts) == len(cb.parts) {
		for i := range ca.parts {
			if !sameEvent(ca.parts[i], cb.parts[i]) {
				return false
			}
		}
		return true
	}
	ra, ok1 := a.(repetition)
	rb, ok2 := b.(repetition)
	if ok1 && ok2 {
		return ra.n == rb.n && sameEvent(ra.of, rb.of)
	}
	ga, ok1 := a.(grouped)
	gb, ok2 := b.(grouped)
	if ok1 && ok2 {
		return ga.size == gb.size && sameEvent(ga.of, gb.of)
	}
	pa, ok1 := a.(replaced)
	pb, ok2 := b.(replaced)
	if ok1 && ok2 {
		return sameEvent(pa.of, pb.of)
	}
	ta, ok1 := a.(routed)
	tb, ok2 := b.(routed)
	if ok1 && ok2 {
		return reflect.DeepEqual(ta.stored(), tb.stored())
	}
	return reflect.DeepEqual(a, b)
}

// TestStoredEvents reads the events of the past. Their divergences at one order are pinned, and so is the best
// price from above: an event that was stored costs what it cost, or less by a better proof. -update adds
// the events of storable() and combined() that the file lacks.
func TestStoredEvents(t *testing.T) {
	type entry struct {
		Name  string          `json:"name"`
		Event json.RawMessage `json:"event"`
		// At order 4, outside failures of probability Delta0.
		Divergence golden.Number `json:"divergence"`
		Delta0     float64       `json:"delta0"`
		// At δ = 1e-6.
		Epsilon golden.Number `json:"epsilon"`
	}
	const (
		path  = "testdata/events.json"
		order = 4
		delta = 1e-6
	)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	if err := json.Unmarshal(raw, &entries); err != nil {
		t.Fatal(err)
	}
	price := func(e Event) (divergence, delta0, epsilon float64) {
		rel := AddRemove
		if _, err := e.RDP(rel); errors.Is(err, ErrNeighbours) {
			rel = ReplaceOne // of events that are priced for nothing else
		}
		curve, delta0, err := approxRDP(e, rel)
		if err != nil {
			t.Fatalf("%v: %v", e, err)
		}
		g, err := EpsilonOf(e, rel, delta)
		if err != nil {
			t.Fatalf("%v: %v", e, err)
		}
		return curve(order), delta0, g.Epsilon
	}
	named := map[string]bool{}
	for _, s := range entries {
		named[s.Name] = true
		e, err := Unmarshal(s.Event)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		divergence, delta0, epsilon := price(e)
		if math.Abs(divergence-float64(s.Divergence)) > 1e-9*divergence || delta0 != s.Delta0 {
			t.Errorf("%s: %v has divergence %.17g and δ₀ = %g, want %.17g and %g", s.Name, e, divergence, delta0, s.Divergence, s.Delta0)
		}
		if !(epsilon <= float64(s.Epsilon)*(1+1e-9)) {
			t.Errorf("%s: %v costs ε = %.17g, once %.17g", s.Name, e, epsilon, s.Epsilon)
		}
	}
	all := storable()
	all["nested"] = Compose(Repeat(Compose(all["Laplace"], all["Gaussian"]), 3), all["ApproxDP"], Compose())
	for name, c := range combined() {
		all[name] = c.e
	}
	for _, name := range sortedNames(all) {
		if named[name] {
			continue
		}
		if !*update {
			t.Errorf("%s: not in %s; run with -update and review", name, path)
			continue
		}
		s := entry{Name: name}
		if s.Event, err = Marshal(all[name]); err != nil {
			t.Fatal(err)
		}
		stored, err := Unmarshal(s.Event)
		if err != nil {
			t.Fatal(err)
		}
		divergence, delta0, epsilon := price(stored)
		s.Divergence, s.Delta0, s.Epsilon = golden.Number(divergence), delta0, golden.Number(epsilon)
		entries = append(entries, s)
	}
	if *update {
		var b bytes.Buffer
		for i, s := range entries {
			line, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s%s", []string{"[\n", ",\n"}[min(i, 1)], line)
		}
		b.WriteString("\n]\n")
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnmarshalErrors(t *testing.T) {
	const gauss = `{"kind":"gaussian","sensitivity":1,"sigma":2,"neighbours":"replace-one"}`
	deep := strings.Repeat(`{"kind":"repeat","count":1,"event":`, 150) + gauss + strings.Repeat("}", 150)
	route := func(orders, values string) string {
		return `{"version":1,"event":{"kind":"by_routes","name":"x","neighbours":"replace-one","routes":[{"name":"a","orders":` + orders + `,"values":` + values + `}]}}`
	}
	cases := []struct{ name, raw, says string }{
		{"empty", ``, "got nothing"},
		{"null", `null`, "JSON object"},
		{"list", `[]`, "JSON object"},
		{"truncated", `{"version":1,"event":` + gauss, "JSON object"},
		{"more", `{"version":1,"event":` + gauss + `} {}`, "more after"},
		{"no version", `{"event":` + gauss + `}`, "field version"},
		{"no event", `{"version":1}`, "field event"},
		{"version 2", `{"version":2,"event":` + gauss + `}`, "version: got"},
		{"version as text", `{"version":"1","event":` + gauss + `}`, "version: got"},
		{"unknown field outside", `{"version":1,"x":1,"event":` + gauss + `}`, "unknown"},
		{"version twice", `{"version":1,"version":1,"event":` + gauss + `}`, "twice"},
		{"unknown kind", `{"version":1,"event":{"kind":"magic"}}`, `"magic"`},
		{"no kind", `{"version":1,"event":{"sigma":1}}`, "kind"},
		{"kind null", `{"version":1,"event":{"kind":null}}`, "kind"},
		{"null event", `{"version":1,"event":null}`, "JSON object"},
		{"missing field", `{"version":1,"event":{"kind":"gaussian","sensitivity":1,"neighbours":"replace-one"}}`, "field sigma"},
		{"unknown field", `{"version":1,"event":{"kind":"zcdp","rho":1,"omega":2,"neighbours":"replace-one"}}`, "field \"omega\""},
		{"wrong case", `{"version":1,"event":{"kind":"zcdp","Rho":1,"neighbours":"replace-one"}}`, "field rho"},
		{"field twice", `{"version":1,"event":{"kind":"zcdp","rho":1,"rho":2,"neighbours":"replace-one"}}`, "twice"},
		{"null field", `{"version":1,"event":{"kind":"zcdp","rho":null,"neighbours":"replace-one"}}`, "rho"},
		{"text for a number", `{"version":1,"event":{"kind":"zcdp","rho":"1","neighbours":"replace-one"}}`, "rho"},
		{"NaN", `{"version":1,"event":{"kind":"zcdp","rho":"NaN","neighbours":"replace-one"}}`, "rho"},
		{"overflow", `{"version":1,"event":{"kind":"zcdp","rho":1e999,"neighbours":"replace-one"}}`, "rho"},
		{"unknown relation", `{"version":1,"event":{"kind":"zcdp","rho":1,"neighbours":"bounded"}}`, "neighbours"},
		{"fraction of an answer", `{"version":1,"event":{"kind":"randomized_response","k":2.5,"epsilon":1,"neighbours":"replace-one"}}`, "k:"},
		{"fraction of a count", `{"version":1,"event":{"kind":"repeat","event":` + gauss + `,"count":1.5}}`, "count"},
		{"no count", `{"version":1,"event":{"kind":"repeat","event":` + gauss + `}}`, "field count"},
		{"events null", `{"version":1,"event":{"kind":"compose","events":null}}`, "events"},
		{"null among events", `{"version":1,"event":{"kind":"compose","events":[null]}}`, "JSON object"},
		{"too deep", `{"version":1,"event":` + deep + `}`, "levels"},
		{"no size", `{"version":1,"event":{"kind":"group","event":` + gauss + `}}`, "field size"},
		{"size as text", `{"version":1,"event":{"kind":"group","event":` + gauss + `,"size":"2"}}`, "size"},
		{"a count for a size", `{"version":1,"event":{"kind":"group","event":` + gauss + `,"count":2}}`, "field size"},
		{"converted nothing", `{"version":1,"event":{"kind":"as_replace_one"}}`, "field event"},
		{"converted null", `{"version":1,"event":{"kind":"as_replace_one","event":null}}`, "JSON object"},
		{"no routes", `{"version":1,"event":{"kind":"by_routes","name":"x","neighbours":"replace-one"}}`, "field routes"},
		{"routes null", `{"version":1,"event":{"kind":"by_routes","name":"x","neighbours":"replace-one","routes":null}}`, "routes"},
		{"route without orders", route(`[]`, `[]`), "orders"},
		{"route of unequal lists", route(`[2,3]`, `[1]`), "values"},
		{"falling orders", route(`[3,2]`, `[1,1]`), "order"},
		{"negative value", route(`[2]`, `[-1]`), "value"},
		{"NaN value", route(`[2]`, `["NaN"]`), "values"},
		{"unknown field of a route", `{"version":1,"event":{"kind":"by_routes","name":"x","neighbours":"replace-one","routes":[{"name":"a","orders":[2],"values":[1],"x":1}]}}`, "field \"x\""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e, err := Unmarshal([]byte(c.raw))
			if !errors.Is(err, ErrCodec) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, %v, want ErrCodec saying %q", e, err, c.says)
			}
		})
	}
}

func TestMarshalErrors(t *testing.T) {
	deep := Event(ZCDP{Rho: 1, Neighbours: AddRemove})
	for range maxDepth + 1 {
		deep = Repeat(deep, 1)
	}
	for name, e := range map[string]Event{
		"nil":                   nil,
		"nil part":              Compose(nil),
		"nil repeated":          Repeat(nil, 2),
		"nil grouped":           Group(nil, 2),
		"nil converted":         AsReplaceOne(nil),
		"no relation of routes": ByRoutes("x", 0, Routes{{"a", zcdp(1)}}),
		"foreign event":         curveOnly{gaussian(1)},
		"pointer":               &Gaussian{Sensitivity: 1, Sigma: 1, Neighbours: AddRemove},
		"NaN":                   ZCDP{Rho: math.NaN(), Neighbours: AddRemove},
		"no relation":           ZCDP{Rho: 1},
		"not UTF-8":             NonPrivate{Reason: "\xff"},
		"too deep":              deep,
	} {
		if raw, err := Marshal(e); !errors.Is(err, ErrCodec) {
			t.Errorf("%s: got %s, %v, want ErrCodec", name, raw, err)
		}
	}
}

// groupSteps is how many curves the price of an event evaluates at each order for the groups in it.
func groupSteps(e Event) float64 {
	switch e := e.(type) {
	case composition:
		most := 1.0
		for _, part := range e.parts {
			most = max(most, groupSteps(part))
		}
		return most
	case repetition:
		return groupSteps(e.of)
	case replaced:
		return 2 * groupSteps(e.of)
	case grouped:
		return math.Abs(float64(e.size)) * groupSteps(e.of)
	}
	return 1
}

// FuzzUnmarshal: whatever is read is written the same way again, and never panics when priced.
func FuzzUnmarshal(f *testing.F) {
	for _, e := range storable() {
		raw, err := Marshal(Compose(Repeat(e, 3), e))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, c := range combined() {
		raw, err := Marshal(c.e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Unmarshal(raw)
		if err != nil {
			if !errors.Is(err, ErrCodec) {
				t.Fatalf("got %v, want ErrCodec", err)
			}
			return
		}
		once, err := Marshal(e)
		if err != nil {
			t.Fatalf("%v was read and cannot be written: %v", e, err)
		}
		back, err := Unmarshal(once)
		if err != nil || !sameEvent(e, back) {
			t.Fatalf("%s became %v, %v", once, back, err)
		}
		if groupSteps(e) > 50 {
			return // the price of a large group takes as many steps
		}
		if g, err := EpsilonOf(e, AddRemove, 1e-6); err == nil && !(g.Epsilon >= 0) {
			t.Fatalf("%v costs %v", e, g)
		}
		if g, err := DeltaOf(e, AddRemove, 1); err == nil && !(g.Delta >= 0 && g.Delta <= 1) {
			t.Fatalf("%v costs %v", e, g)
		}
		if rho, err := RhoOf(e, AddRemove); err == nil && !(rho >= 0) {
			t.Fatalf("%v has the rate %g", e, rho)
		}
	})
}
