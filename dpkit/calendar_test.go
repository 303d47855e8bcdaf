package dpkit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// stays are visits by day, of which April has none.
func stays(t testing.TB) *frames.Frame {
	t.Helper()
	s := must(frames.NewSchema(frames.Date("day", "2024-01-15", "2024-05-10").MayMiss(), frames.Date("born", "1950-01-01", "2004-12-31").Written("02.01.2006"), frames.NumericLabel("stay", 0, 30)))
	var b strings.Builder
	b.WriteString("day,born,stay\n")
	for i, day := range []string{"2024-01-15", "2024-01-31", "2024-02-29", "2024-02-01", "2024-02-10", "2024-03-31", "2024-05-01", "2024-05-10", ""} {
		fmt.Fprintf(&b, "%s,%02d.02.2000,%d\n", day, 21+i, i)
	}
	return must(frames.ParseCSV(strings.NewReader(b.String()), "stays", s, frames.CSVOptions{Header: true}))
}

// TestMonthlySeries: a table by month has all months in order of time, those without rows too, and rows without a day behind them.
func TestMonthlySeries(t *testing.T) {
	data := must(OnPublic(frames.Public(stays(t)))).Data()
	months := data.Calendar("day", frames.Month).By("day month").Count().Table(Target{Epsilon: 1, Delta: 1e-6})
	v := must(months.Release(t.Context())).Value
	if got := fmt.Sprint(v.Groups, v.Counts); got != "[[2024-01] [2024-02] [2024-03] [2024-04] [2024-05] [(missing)]] [2 3 1 0 2 1]" {
		t.Errorf("got %s", got)
	}
	if c, _ := must(frames.NewSchema(must(steps0(data.Calendar("day", frames.Month))).Columns()...)).Column("day month"); !c.Ordered {
		t.Error("months are in no order")
	}
	for _, c := range []struct {
		of   Condition
		want float64
	}{
		{During("day", "2024-02-01", "2024-02-29"), 3},
		{During("day", "1999-01-01", "2024-01-15"), 1},
		{Not(During("day", "2024-01-15", "2024-05-09")), 1}, // open where the day is missing
		{During("born", "2000-02-21", "2000-02-22"), 2},
	} {
		n := must(data.Where(c.of).By().Count().Table(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
		if n.Counts[0] != c.want {
			t.Errorf("%v: got %v rows, want %v", c.of, n.Counts[0], c.want)
		}
	}
	plan := data.Where(During("day", "2024-02-01", "2024-02-29")).Calendar("day", frames.Week, frames.Weekday).Calendar("born", frames.AgeOn("2024-02-29")).
		Impute(Midpoint{}, "day").By("day weekday").Mean("born age").Table(Target{Epsilon: 1, Delta: 1e-6})
	if got := must(Parse[Table](data.s, plan.String())).String(); got != plan.String() || !strings.Contains(got, `Where(During("day", "2024-02-01", "2024-02-29")).Calendar("day", "week", "weekday").Calendar("born", "age on 2024-02-29")`) {
		t.Errorf("read back %s, want %s", got, plan)
	}
}

// steps0 is the schema behind a chain.
func steps0(p Pipeline) (frames.Schema, error) {
	_, end, err := p.trace()
	return end.In, err
}

func TestCalendarRefuses(t *testing.T) {
	data := must(Demo(stays(t), 1, ReplaceOne)).Data()
	price := func(p Pipeline) error {
		_, err := p.By().Mean("stay").Table(Target{Epsilon: 1, Delta: 1e-6}).Cost()
		return err
	}
	for _, c := range []struct {
		name string
		p    Pipeline
		want error
		says string
	}{
		{"no unit", data.Calendar("day"), ErrParameter, "frames.Month"},
		{"another unit", data.Calendar("day", "fortnight"), ErrParameter, `"fortnight"`},
		{"the label", data.Calendar("stay", frames.Month), ErrColumn, "stay"},
		{"no column", data.Calendar("night", frames.Month), ErrColumn, "night"},
		{"numbers", data.Calendar("born", frames.AgeOn("2024-01-01")).Calendar("born age", frames.Month), ErrColumn, "want one of dates"},
		{"twice", data.Calendar("day", frames.Month, frames.Month), ErrColumn, "there already"},
		{"two ages", data.Calendar("born", frames.AgeOn("2024-01-01")).Calendar("born", frames.AgeOn("2023-01-01")), ErrColumn, "there already"},
		{"a displaced day", data.Impute(Mean{}, "day").Calendar("day", frames.Month), ErrOrder, "differs in common rows"},
		{"a scaled day", data.Impute(Midpoint{}, "day").Scale().Calendar("day", frames.Month), ErrColumn, "want one of dates"},
		{"by days", data.Where(During("day", "2024-02-30", "2024-03-01")), ErrParameter, "2024-02-30"},
		{"days that fall", data.Where(During("day", "2024-02-02", "2024-02-01")), ErrParameter, "want days that rise"},
		{"during numbers", data.Where(During("stay", "2024-02-01", "2024-02-02")), ErrColumn, "want one of dates"},
		{"during displaced days", data.Impute(Mean{}, "day").Where(During("day", "2024-02-01", "2024-02-02")), ErrOrder, "differs in common rows"},
	} {
		if err := price(c.p); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.want, c.says)
		}
	}
	if _, err := data.By("day").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).Cost(); err == nil || !strings.Contains(err.Error(), `Calendar("day", frames.Month)`) {
		t.Errorf("groups of days: got %v", err)
	}
}

// TestModelsReadDays: a model behind a calendar reads days as files have them, and times, and writes and reads its calendar.
func TestModelsReadDays(t *testing.T) {
	data := must(OnPublic(frames.Public(stays(t)))).Data()
	model := must(data.Calendar("day", frames.Month).Calendar("born", frames.AgeOn("2024-06-30")).OneHot().Impute(Midpoint{}).Drop("day").Scale().
		FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
	at := func(day, born any) float64 { return must(model.PredictRow(map[string]any{"day": day, "born": born})) }
	want := at("2024-02-29", "29.02.2000")
	when := time.Date(2024, 2, 29, 23, 59, 0, 0, time.FixedZone("west", -8*3600))
	for name, got := range map[string]float64{"a time": at(when, "29.02.2000"), "a pointer": at(&when, "29.02.2000"), "another day of the month": at("2024-02-01", "29.02.2000")} {
		if got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if at("2024-03-01", "29.02.2000") == want || at(nil, "29.02.2000") == want {
		t.Error("the day does not count")
	}
	for name, row := range map[string]map[string]any{
		"another layout": {"day": "29.02.2024", "born": "29.02.2000"}, "no such day": {"day": "2024-02-30", "born": "29.02.2000"},
		"a number": {"day": 5, "born": "29.02.2000"}, "beyond": {"day": "2025-02-28", "born": "29.02.2000"}, "missing": {"day": "2024-02-29", "born": nil},
	} {
		if _, err := model.PredictRow(row); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}

// TestDaysOfPeople: first and last days of people are days again, of which a calendar makes months.
func TestDaysOfPeople(t *testing.T) {
	s := must(frames.NewSchema(frames.Person("patient"), frames.Date("day", "2024-01-01", "2024-12-31")))
	f := must(frames.ParseCSV(strings.NewReader("a,2024-02-29\nb,2024-05-01\na,2024-01-31\na,2024-12-24\n"), "v", s, frames.CSVOptions{}))
	p := must(OnPublic(frames.Public(f))).Data().PerPerson(MinOf{Column: "day"}, MaxOf{Column: "day", As: "last"}).Calendar("least day", frames.Month)
	v := must(p.By("least day month").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
	if len(v.Counts) != 12 || !slices.Equal(v.Counts[:6], []float64{1, 0, 0, 0, 1, 0}) {
		t.Errorf("got %v", v.Counts)
	}
}
