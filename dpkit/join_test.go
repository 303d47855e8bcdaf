package dpkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// townsOfTest is a public table of the towns a and c, in the unit u.
func townsOfTest(u float64) *frames.PublicFrame {
	schema := mustSchema(frames.Category("town", "c", "a", "elsewhere"), frames.Numeric("height", -u, 3*u), frames.Category("coast", "no", "yes").MayMiss())
	x := []float64{0, 3 * u, math.NaN(), 1, -u, 1, 2, 0, 0}
	return frames.Public(must(frames.FromBlock(schema, &frames.Block{Rows: 3, Cols: 3, X: x})))
}

// TestJoin: each row gets the cells at its level, whatever order the public table has; a level that it lacks, and a missing one, get none.
func TestJoin(t *testing.T) {
	schema := mustSchema(frames.Numeric("x", 0, 9), frames.Category("town", "a", "b", "c").MayMiss(), frames.Label("y", "no", "yes"))
	s := demo(t, frameOf(t, schema, [][]float64{{1, 0, 0}, {2, 1, 0}, {3, 2, 0}, {4, math.NaN(), 1}}))
	p := s.Data().Join(townsOfTest(1), "town")
	got := fmt.Sprint(sideOf(t, p))
	if want := "[[1 0 -1 1 0] [2 1 NaN NaN 0] [3 2 3 NaN 0] [4 NaN NaN NaN 1]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	out := must(p.Schema())
	height, _ := out.Column("height")
	coast, _ := out.Column("coast")
	if !height.Missing || height.Lo != -1 || height.Hi != 3 || len(coast.Levels) != 2 {
		t.Errorf("columns %v and %v", height, coast)
	}
	back := must(ParsePipeline(s, p.String()))
	if fmt.Sprint(sideOf(t, back)) != got {
		t.Errorf("%s reads back as another step", p)
	}
	people := must(Demo(visitFrame(t, []visit{{who: 1, stay: 1, ward: 0}, {who: 2, stay: 2, ward: 1}}), 1, AddRemove))
	wards := frames.Public(must(frames.FromBlock(mustSchema(frames.Category("ward", visitSchema().Features()[2].Levels...), frames.Numeric("beds", 0, 50)), &frames.Block{Rows: 1, Cols: 2, X: []float64{0, 20}})))
	if _, err := people.Data().Join(wards, "ward").PerPerson(MaxOf{Column: "beds"}).Schema(); err != nil {
		t.Errorf("on rows of people: %v", err)
	}
}

// TestJoinErrors: a public table that has a key twice, or none of the right kind, is refused with what to do.
func TestJoinErrors(t *testing.T) {
	schema := mustSchema(frames.Numeric("x", 0, 9), frames.Category("town", "a", "b", "c"), frames.Category("height", "low", "high"), frames.Label("y", "no", "yes"))
	data := demo(t, frameOf(t, schema, [][]float64{{1, 0, 0, 0}, {2, 1, 0, 1}, {3, 2, 1, 1}})).Data()
	table := func(key frames.Column, x ...float64) *frames.PublicFrame {
		return frames.Public(must(frames.FromBlock(mustSchema(key, frames.Numeric("beds", 0, 9)), &frames.Block{Rows: len(x) / 2, Cols: 2, X: x})))
	}
	town := frames.Category("town", "a", "b")
	for name, c := range map[string]struct {
		p    Pipeline
		says string
		is   error
	}{
		"no table":           {data.Join(nil, "town"), "got no table", ErrParameter},
		"a key twice":        {data.Join(table(town, 0, 1, 0, 2), "town"), `has "a" twice, at row 2`, ErrParameter},
		"no key":             {data.Join(table(town.MayMiss(), math.NaN(), 1, 0, 2), "town"), "row 1 of the public table has no", ErrParameter},
		"numbers as keys":    {data.Join(table(frames.Numeric("x", 0, 9), 1, 1, 2, 2), "x"), "want a category", ErrColumn},
		"no such column":     {data.Join(table(town, 0, 1, 1, 2), "place"), "place", ErrColumn},
		"a name that is had": {data.Join(townsOfTest(1), "town"), `column "height" is there already`, ErrColumn},
		"displaced":          {data.Drop("height").OneHot().Standardize(Standard{Floor: 0.5}).Join(table(town, 0, 1, 1, 2), "town"), "town", ErrColumn},
	} {
		if _, err := c.p.Schema(); !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestJoinInModels: a model that was fitted behind a join reads rows without the joined columns, in another process too.
func TestJoinInModels(t *testing.T) {
	schema := mustSchema(frames.Numeric("x", 0, 9), frames.Category("town", "a", "b", "c"), frames.Label("y", "no", "yes"))
	rows := make([][]float64, 60)
	for i := range rows {
		rows[i] = []float64{float64(i % 10), float64(i % 3), float64(i % 2)}
	}
	f := frameOf(t, schema, rows)
	m := must(demo(t, f).Data().Join(townsOfTest(1), "town").OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
	var read LogisticModel
	if err := json.Unmarshal(must(json.Marshal(m)), &read); err != nil {
		t.Fatal(err)
	}
	a, b := must(m.Predict(t.Context(), frames.Public(f))), must(read.Predict(t.Context(), frames.Public(f)))
	if fmt.Sprint(a) != fmt.Sprint(b) || len(a) != len(rows) {
		t.Errorf("predicted %v, read back %v", a, b)
	}
}
