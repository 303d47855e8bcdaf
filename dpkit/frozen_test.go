package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// frozenDirs hold ledgers that earlier versions of this package wrote: identities and fingerprints are theirs. What was
// paid for replays for ever, so the files, the data below and the plans of frozenPlans are never edited, but for the names of
// calls and options in Go; a new version adds a folder, written by DPNB_WRITE_FROZEN=folder.
var frozenDirs = []string{"testdata/ledgers/identity5", "testdata/ledgers/identity6"}

// frozenValue tells a replayed value: how many of its numbers are not 0, and their sum.
type frozenValue struct {
	Numbers int     `json:"numbers"`
	Sum     float64 `json:"sum"`
	Refused bool    `json:"refused,omitempty"` // a test of the chain did not pass
}

// TestFrozenLedgersReplay: every kind of step, release and value in ledgers of before replays, and nothing is charged.
func TestFrozenLedgersReplay(t *testing.T) {
	if dir := os.Getenv("DPNB_WRITE_FROZEN"); dir != "" {
		writeFrozen(t, dir)
	}
	for _, dir := range frozenDirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			replayFrozen(t, dir)
		})
	}
}

func replayFrozen(t *testing.T, dir string) {
	want := map[string]frozenValue{}
	raw, err := os.ReadFile(filepath.Join(dir, "values.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name := range frozenData(t) {
		s, _ := thawed(t, dir, name)
		before := must(s.Status())
		for _, c := range frozenPlans(s, name) {
			key := name + "/" + c.name
			w, ok := want[key]
			if !ok {
				t.Errorf("%s: no value in the frozen folder", key)
				continue
			}
			seen++
			t.Run(key, func(t *testing.T) {
				r, err := c.plan.release(context.Background())
				if w.Refused != errors.Is(err, ErrTestFailed) || !w.Refused && err != nil {
					t.Fatalf("got %v, want a replay", err)
				}
				if !w.Refused && !r.Replayed {
					t.Fatal("drawn again, want a replay")
				}
				if got := measured(r.Value, w.Refused); got.Numbers != w.Numbers || math.Abs(got.Sum-w.Sum) > 1e-9*(1+math.Abs(w.Sum)) {
					t.Errorf("got %+v, want %+v", got, w)
				}
			})
		}
		if after := must(s.Status()); after.Releases != before.Releases || after.Spent != before.Spent {
			t.Errorf("%s: charged: %v, before %v", name, after, before)
		}
	}
	if seen != len(want) || seen == 0 {
		t.Errorf("%d of %d frozen releases were asked for", seen, len(want))
	}
}

// thawed is a session on a copy of a frozen ledger.
func thawed(t *testing.T, from, name string) (*Session, string) {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{name + ".ledger", name + ".ledger.key"} {
		b, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, name+".ledger")
	s, err := Open(frozenData(t)[name], path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, path
}

func writeFrozen(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	values := map[string]frozenValue{}
	for name, f := range frozenData(t) {
		rel := ReplaceOne
		if strings.HasPrefix(name, "zeroed") {
			rel = AddRemove
		}
		s, err := Create(f, Options{Ledger: filepath.Join(dir, name+".ledger"), Budget: Budget{Epsilon: 16, Delta: 5e-2}, Reserve: 1e-2, Neighbours: rel, Dataset: name})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range frozenPlans(s, name) {
			r, err := c.plan.release(context.Background())
			refused := errors.Is(err, ErrTestFailed)
			if err != nil && !refused {
				t.Errorf("%s/%s: %v", name, c.name, err)
			}
			if _, twice := values[name+"/"+c.name]; twice || r.Replayed {
				t.Errorf("%s/%s: twice", name, c.name)
			}
			values[name+"/"+c.name] = measured(r.Value, refused)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	b := must(json.MarshalIndent(values, "", "\t"))
	if err := os.WriteFile(filepath.Join(dir, "values.json"), append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFrozenTexts: what an identity of before says of each step and mechanism is what it said then.
func TestFrozenTexts(t *testing.T) {
	for _, c := range []struct {
		version string
		texts   func(*plan) []string
		earlier func(*plan) [][]string // texts of earlier laws, whose values replay
		plans   map[string]*plan
	}{
		{"identity5", textsOf, func(*plan) [][]string { return nil }, frozenByName(t, false)},
		{"identity6", identityTextsOf, earlierTextsOf, frozenByName(t, true)},
	} {
		t.Run(c.version, func(t *testing.T) {
			if dir := os.Getenv("DPNB_WRITE_FROZEN"); filepath.Base(dir) == c.version {
				got := map[string][]string{}
				for key, pl := range c.plans {
					got[key] = c.texts(pl)
				}
				if err := os.WriteFile(filepath.Join(dir, "texts.json"), append(must(json.MarshalIndent(got, "", "\t")), '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := map[string][]string{}
			raw, err := os.ReadFile(filepath.Join("testdata/ledgers", c.version, "texts.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 {
				t.Error("no texts")
			}
			for key, texts := range want {
				pl, ok := c.plans[key]
				if !ok {
					t.Errorf("%s: the frozen plan is gone", key)
					continue
				}
				got := c.texts(pl)
				for _, earlier := range c.earlier(pl) {
					if slices.Equal(earlier, texts) {
						got = earlier
					}
				}
				if !slices.Equal(got, texts) {
					t.Errorf("%s: got %q, want %q", key, got, texts)
				}
			}
			if c.version == "identity5" && len(want) != len(c.plans) {
				t.Errorf("%d texts for %d plans", len(want), len(c.plans))
			}
		})
	}
}

// textsOf is what the identity of version 5 says of the steps and the mechanism of a plan.
func textsOf(pl *plan) []string {
	var out []string
	for _, s := range pl.p.steps {
		out = append(out, kind.WasText(s))
	}
	return append(out, kind.WasText(pl.m))
}

// identityTextsOf is what identities since version 6 say of the steps and the mechanism of a plan.
func identityTextsOf(pl *plan) []string { return chainTexts(must(pl.chainIdentity())) }

func earlierTextsOf(pl *plan) (out [][]string) {
	for _, c := range earlierLaws(must(pl.chainIdentity()), pl.m) {
		out = append(out, chainTexts(c))
	}
	return out
}

func chainTexts(chain []stepIdentity) (out []string) {
	for _, c := range chain {
		out = append(out, fmt.Sprintf("%s/%d %s", c.Kind, c.Law, c.Text))
	}
	return out
}

// frozenByName are the frozen plans, with or without those of kinds that are younger than identities of version 5.
func frozenByName(t *testing.T, younger bool) map[string]*plan {
	t.Helper()
	out := map[string]*plan{}
	for name, f := range frozenData(t) {
		s := must(Demo(f, 1, ReplaceOne))
		plans := append(frozenPlans(s, name), frozenTexts(s.Data())...)
		if younger {
			plans = append(plans, youngerPlans(s.Data())...)
		}
		for _, c := range plans {
			out[name+"/"+c.name] = c.plan
		}
	}
	return out
}

// measured walks the exported fields of a value.
func measured(v any, refused bool) frozenValue {
	out := frozenValue{Refused: refused}
	if refused {
		return out
	}
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Float64:
			if x := v.Float(); x != 0 && !math.IsInf(x, 0) && !math.IsNaN(x) {
				out.Numbers++
				out.Sum += x
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		}
	}
	if c, ok := v.(origin.Carrier); ok {
		_, model := v.(storedModel)
		was := *origin.Of(c)
		defer func() { *origin.Of(c) = was }()
		origin.Of(c).Predicted = 0                      // it is of this version, not of the value
		if _, sketch := v.(*Sketch); !model || sketch { // what the folders froze of these holds no provenance
			*origin.Of(c) = origin.Provenance{}
		}
	}
	walk(reflect.ValueOf(v))
	return out
}

// frozenData are the tables behind the frozen ledgers, by the ledgers' names.
func frozenData(t *testing.T) map[string]*frames.Frame {
	t.Helper()
	schema := func(cols ...frames.Column) frames.Schema { return must(frames.NewSchema(cols...)) }
	table := func(s frames.Schema, n int, seed uint64, row func(r *rand.Rand) []float64) *frames.Frame {
		r := rand.New(rand.NewPCG(seed, 5))
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = row(r)
		}
		return frameOf(t, s, rows)
	}
	people := func(r *rand.Rand) []float64 {
		row := []float64{17 + math.Floor(73*r.Float64()), float64(r.IntN(3)), math.Floor(10*(-1+5*r.Float64())) / 10, float64(r.IntN(2)), float64(r.IntN(2))}
		for _, j := range []int{1, 2, 3} {
			if r.Float64() < 0.2 {
				row[j] = math.NaN()
			}
		}
		return row
	}
	peopleSchema := schema(
		frames.Numeric("age", 17, 90), frames.Category("work", "a", "b", "c").MayMiss(), frames.Numeric("pay", -1, 4).MayMiss(),
		frames.Category("home", "x", "y").MayMiss(), frames.Label("income", "low", "high"),
	)
	numbers := func(label func(a, b float64) float64) func(r *rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			a, b := 2*r.Float64()-1, 2*r.Float64()-1
			return []float64{a, b, 2*r.Float64() - 1, label(a, b)}
		}
	}
	with := func(label frames.Column) frames.Schema {
		return schema(frames.Numeric("a", -1, 1), frames.Numeric("b", -1, 1), frames.Numeric("c", -1, 1), label)
	}
	return map[string]*frames.Frame{
		"people":         table(peopleSchema, 120, 1, people),
		"zeroed":         table(peopleSchema, 120, 2, people),
		"numbers":        table(with(frames.NumericLabel("y", -4, 4)), 300, 3, numbers(func(a, b float64) float64 { return a - 2*b })),
		"zeroed-numbers": table(with(frames.NumericLabel("y", -4, 4)), 300, 7, numbers(func(a, b float64) float64 { return a - 2*b })),
		"counts":         table(with(frames.NumericLabel("visits", 0, 20)), 300, 4, numbers(func(a, b float64) float64 { return math.Floor(2 + a + b) })),
		"classes": table(with(frames.Label("kind", "p", "q", "r")), 300, 5, numbers(func(a, b float64) float64 {
			return float64(min(2, int(1.5*math.Abs(a+b))))
		})),
		"boundless": table(schema(frames.Unbounded("u").Guess(3), frames.Unbounded("v"), frames.UnboundedLabel("w").Guess(5)), 12000, 6, func(r *rand.Rand) []float64 {
			u, v := r.NormFloat64(), r.NormFloat64()
			return []float64{3 * u, v, 2*u - v + r.NormFloat64()}
		}),
	}
}

// halve is a step of a caller's own: it halves every feature.
type halve struct{ Times int }

func (h halve) String() string { return kind.Call("halve", strconv.Itoa(h.Times)) }

var errHalve = stage.Register[halve]("test.dpnb/halve", 1)

func (h halve) Check(in frames.Schema) (frames.Schema, error) {
	cols := in.Columns()
	for i := range cols {
		if _, ok := in.FeatureIndex(cols[i].Name); ok {
			cols[i].Lo, cols[i].Hi = cols[i].Lo/2, cols[i].Hi/2
		}
	}
	return frames.NewSchema(cols...)
}

func (h halve) Propagate(st stage.Stage) (stage.Propagation, error) {
	q, err := st.Before.Propagate(pair.StepBounds{K: 0.5, KF: 0.5, R: st.Before.R / 2})
	return stage.Propagation{Pair: q, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic}, err
}

func (halve) Deploy(stage.Stage) (stage.RowMap, error) { return nil, nil }

func (h halve) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(func(dst, src []float64) {
		for j, x := range src {
			dst[j] = x / 2
		}
	}), nil
}
