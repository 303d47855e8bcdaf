package dpkit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestWhere: rows stay that meet the conditions, at their places, and what is released is of them.
func TestWhere(t *testing.T) {
	nan := math.NaN()
	schema := must(frames.NewSchema(frames.Numeric("age", 0, 100).MayMiss(), frames.Category("ward", "heart", "lung", "skin").MayMiss(), frames.Label("back", "no", "yes")))
	f := frameOf(t, schema, [][]float64{{20, 0, 0}, {40, 1, 1}, {60, 2, 0}, {80, nan, 1}, {nan, 0, 1}, {nan, nan, 0}})
	s := must(Demo(f, 1, ReplaceOne))
	for _, c := range []struct {
		name  string
		where []Condition
		want  []int
	}{
		{"a level", []Condition{Is("ward", "heart")}, []int{0, 4}},
		{"levels", []Condition{Is("ward", "heart", "skin")}, []int{0, 2, 4}},
		{"bounds are inside", []Condition{Between("age", 40, 60)}, []int{1, 2}},
		{"the label", []Condition{Is("back", "yes")}, []int{1, 3, 4}},
		{"all of them", []Condition{Is("back", "yes"), Between("age", 0, 100)}, []int{1, 3}},
		{"and", []Condition{And(Is("back", "yes"), Is("ward", "heart"))}, []int{4}},
		{"or, of which one is open", []Condition{Or(Is("ward", "heart"), Between("age", 70, 90))}, []int{0, 3, 4}},
		{"not, where a cell is missing", []Condition{Not(Is("ward", "heart"))}, []int{1, 2}},
		{"not of or", []Condition{Not(Or(Is("ward", "heart"), Between("age", 50, 90)))}, []int{1}},
		{"not of and, which is settled by one", []Condition{Not(And(Is("ward", "heart"), Between("age", 50, 90)))}, []int{0, 1, 2}},
		{"not not", []Condition{Not(Not(Is("ward", "heart")))}, []int{0, 4}},
		{"and of nothing", []Condition{And()}, []int{0, 1, 2, 3, 4, 5}},
		{"or of nothing", []Condition{Or()}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := s.Data().Where(c.where...)
			stages, end, err := p.trace()
			if err != nil {
				t.Fatal(err)
			}
			a := must(quote{stages: stages, end: end, place: s.place}.apply(t.Context(), f, nil))
			var got []int
			if err := a.rows.Scan(t.Context(), func(b *frames.Block) error {
				for i := range b.Rows {
					if b.Empty == nil || !b.Empty[i] {
						got = append(got, b.First+i)
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got rows %v, want %v", got, c.want)
			}
			if back := must(ParsePipeline(s, p.String())); back.String() != p.String() {
				t.Errorf("read back: got %s, want %s", back, p)
			}
			public := must(must(OnPublic(frames.Public(f))).Data().Where(c.where...).Count(Target{}).Release(t.Context()))
			if public.Value.Values[0] != float64(len(c.want)) {
				t.Errorf("counted: got %g, want %d", public.Value.Values[0], len(c.want))
			}
		})
	}
	for name, p := range map[string]Pipeline{
		"nothing":        s.Data().Where(),
		"no column":      s.Data().Where(Is("pay", "a")),
		"no level":       s.Data().Where(Is("ward", "soul")),
		"levels of none": s.Data().Where(Is("ward")),
		"falling bounds": s.Data().Where(Not(Between("age", 3, 2))),
		"NaN":            s.Data().Where(Between("age", nan, 2)),
		"numbers":        s.Data().Where(Or(Between("ward", 0, 1))),
		"displaced":      s.Data().OneHot().Impute(Mean{}).Where(Between("age", 0, 50)),
	} {
		if _, err := p.Count(Target{Epsilon: 1, Delta: 1e-6}).Cost(); err == nil || !strings.Contains(err.Error(), "step ") {
			t.Errorf("%s: got %v, want an error that names the step", name, err)
		}
	}
	if _, err := s.Data().OneHot().Impute(Mean{}).Where(Between("age", 0, 50)).Count(Target{Epsilon: 1, Delta: 1e-6}).Cost(); !errors.Is(err, ErrOrder) {
		t.Errorf("a displaced column: got %v, want ErrOrder", err)
	}
}

// TestWhereOfPeople: conditions choose among each person's rows, and who has none left keeps an empty place.
func TestWhereOfPeople(t *testing.T) {
	for seed := range uint64(20) {
		all := hostileVisits(rand.New(rand.NewPCG(seed, 17)), 9)
		f := visitFrame(t, all)
		s := must(Demo(f, 1, AddRemove))
		lung, people := 0, map[int]bool{}
		for _, v := range all {
			if v.ward == 1 {
				lung++
				people[v.who] = true
			}
		}
		p := s.Data().Where(Is("ward", "lung")).PerPerson(CountRows{Max: 1000})
		if c := must(p.Count(Target{Epsilon: 1, Delta: 1e-6}).Cost()); c.Rows != 9 || !strings.Contains(c.Guarantee.String(), "per person") {
			t.Fatalf("got %d people, %v", c.Rows, c.Guarantee)
		}
		public := must(OnPublic(frames.Public(f))).Data().Where(Is("ward", "lung")).PerPerson(CountRows{Max: 1000})
		if got := must(public.Count(Target{}).Release(t.Context())).Value.Values[0]; got != float64(len(people)) {
			t.Errorf("seed %d: got %g people with rows, want %d", seed, got, len(people))
		}
		if got := must(public.Sum(Target{}).Release(t.Context())).Value.Values[0]; got != float64(lung) {
			t.Errorf("seed %d: got %g rows, want %d", seed, got, lung)
		}
	}
	if text := fmt.Sprint(Not(And(Is("a", "b"), Between("c", 0, 1)))); text != `Not(And(Is("a", "b"), Between("c", 0, 1)))` {
		t.Errorf("got %s", text)
	}
}

// TestWhereAndSums: counts, histograms and means of rows among which some were removed, of tables without a label and with one, are those of the rows
// that stay: whole blocks, single rows and none of them.
func TestWhereAndSums(t *testing.T) {
	for _, label := range []bool{false, true} {
		columns := []frames.Column{frames.Category("ward", "heart", "lung", "skin").MayMiss(), frames.Numeric("age", 0, 100)}
		if label {
			columns = append(columns, frames.Label("back", "no", "yes"))
		}
		schema := must(frames.NewSchema(columns...))
		for name, gone := range map[string]func(i int) bool{
			"the first rows": func(i int) bool { return i < 2500 },
			"the last rows":  func(i int) bool { return i >= 2500 },
			"every second":   func(i int) bool { return i%2 == 0 },
			"all but one":    func(i int) bool { return i != 1234 },
			"none":           func(int) bool { return false },
			"all":            func(int) bool { return true },
		} {
			var all, stay [][]float64
			for i := range 5000 {
				row := []float64{float64(i % 4), float64(i % 50), float64(i % 2)}[:len(columns)]
				if row[0] == 3 {
					row[0] = math.NaN()
				}
				if gone(i) {
					row[1] = 80
				} else {
					stay = append(stay, row)
				}
				all = append(all, row)
			}
			released := func(rows [][]float64) string {
				p := must(Demo(frameOf(t, schema, rows), 1, AddRemove)).Data().Where(Between("age", 0, 50))
				counts := must(p.Histogram("ward", Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
				count := must(p.Count(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
				sums := must(p.Select("age").Sum(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
				return fmt.Sprint(counts.Value, count.Value, sums.Value)
			}
			for len(stay) < len(all) { // how many rows a table has is public
				stay = append(stay, []float64{0, 80, 0}[:len(columns)])
			}
			if got, want := released(all), released(stay); got != want {
				t.Errorf("%s, label %t: got %s, want %s", name, label, got, want)
			}
		}
	}
}
