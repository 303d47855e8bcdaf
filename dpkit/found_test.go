package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// visitsOf is a table of texts: people i = 0, 1, … have the codes that of(i) lists, in a ward each.
func visitsOf(t testing.TB, people int, of func(i int) []string) *frames.Frame {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,code,ward,stay\n")
	for i := range people {
		for k, code := range of(i) {
			fmt.Fprintf(&b, "p%d,%s,%c,%d\n", i, code, 'a'+rune(i%2), (i+k)%10)
		}
	}
	s := must(frames.NewSchema(frames.Person("id"), frames.Text("code").MayMiss(), frames.Category("ward", "a", "b"), frames.Numeric("stay", 0, 10)))
	return must(frames.ParseCSV(strings.NewReader(b.String()), "visits", s, frames.CSVOptions{Header: true}))
}

// common codes: 400 people have E11, 300 also I10, 200 also J45, and everybody one that nobody else has.
func commonCodes(i int) []string {
	codes := []string{fmt.Sprintf("own%d", i)}
	for k, c := range []string{"E11", "I10", "J45"} {
		if i < 400-100*k {
			codes = append(codes, c, c)
		}
	}
	return codes
}

// oneOfEach keeps of each person three groups by code, one row each.
var oneOfEach = Contributing{Groups: 4, RowsPerGroup: 1, By: []string{"code"}}

// TestFound: what many people have is found with its number of people, and what one has is not.
func TestFound(t *testing.T) {
	s := must(Demo(visitsOf(t, 400, commonCodes), 7, ReplaceOne))
	target := Target{Epsilon: 2, Delta: 1e-6}
	plan := s.Data().Bound(oneOfEach).By("code").People().Mean("stay").Found(target)
	cost := must(plan.Cost())
	if cost.Guarantee.Epsilon > 2 || cost.Guarantee.Epsilon < 1.99 {
		t.Errorf("ε = %g", cost.Guarantee.Epsilon)
	}
	text := cost.String()
	for _, want := range []string{"probability ½", "probability 0.95", "groups of a person"} {
		if !strings.Contains(text, want) {
			t.Errorf("the cost does not say %q:\n%s", want, text)
		}
	}
	got := must(plan.Release(context.Background())).Value
	if levels := must(got.Levels("code")); !slices.Equal(levels, []string{"E11", "I10", "J45"}) {
		t.Fatalf("found %q", levels)
	}
	for k, want := range []float64{400, 300, 200} {
		if c := must(got.At("people", got.Groups[k]...)); math.Abs(c.Value-want) > 6*got.CountSigma {
			t.Errorf("%v: %g people, want about %g", got.Groups[k], c.Value, want)
		}
		if c := must(got.At("mean of stay", got.Groups[k]...)); !(c.Low <= 6 && c.High >= 3) {
			t.Errorf("%v: mean %v", got.Groups[k], c)
		}
	}
	if top := must(got.Top(1, "people")); !slices.Equal(top.Groups[0], []string{"E11"}) || len(top.Groups) != 1 {
		t.Errorf("top: %v", top.Groups)
	}
	if _, err := got.Levels("ward"); !errors.Is(err, ErrColumn) {
		t.Errorf("levels of another column: %v", err)
	}
	crossed := must(s.Data().Bound(oneOfEach).By("ward", "code").Count().Found(target).Release(context.Background())).Value
	if want := []string{"a", "E11"}; len(crossed.Groups) < 5 || !slices.Equal(crossed.Groups[0], want) {
		t.Errorf("crossed: %v, want %v first", crossed.Groups, want)
	}
}

// TestFoundOfPublicRows: public data has every group, and rows without a text are in none.
func TestFoundOfPublicRows(t *testing.T) {
	s := must(OnPublic(frames.Public(visitsOf(t, 6, func(i int) []string { return [][]string{{"x", "x", ""}, {"y"}}[i%2] }))))
	rows := must(s.Data().Bound(Contributing{Rows: 3}).By("code").Count().People().Sum("stay").Found(Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())).Value
	if got := fmt.Sprint(rows.Groups, rows.Counts, rows.People); got != "[[x] [y]] [6 3] [3 3]" {
		t.Errorf("got %s", got)
	}
	if c := must(rows.At("sum of stay", "y")); math.Abs(c.Value-9) > 1e-6 {
		t.Errorf("sum: %v", c)
	}
}

// TestFoundRowsBesidePeople: with several rows of a person in a group, people decide, and rows are counted beside them.
func TestFoundRowsBesidePeople(t *testing.T) {
	t.Parallel()
	codes := func(i int) []string {
		if i == 0 {
			return slices.Repeat([]string{"alone"}, 50)
		}
		return []string{"E11", "E11"}
	}
	s := must(Demo(visitsOf(t, 500, codes), 3, ReplaceOne))
	got := must(s.Data().Bound(Contributing{Rows: 50}).By("code").Count().People().Found(Target{Epsilon: 8, Delta: 1e-5}).Release(context.Background())).Value
	if len(got.Groups) != 1 || math.Abs(got.People[0]-499) > 6*got.CountSigma || math.Abs(got.Counts[0]-998) > 6*got.CountSigma {
		t.Errorf("got %v, people %v, rows %v, σ %g", got.Groups, got.People, got.Counts, got.CountSigma)
	}
	if one := must(s.Data().Bound(Contributing{Rows: 50}).By("code").People().Found(Target{Epsilon: 8, Delta: 1e-5}).Release(context.Background())).Value; one.People != nil || !(one.CountSigma < got.CountSigma) {
		t.Errorf("people alone: %v, σ %g, with rows %g", one.People, one.CountSigma, got.CountSigma)
	}
}

func TestFoundErrors(t *testing.T) {
	s := must(Demo(visitsOf(t, 20, commonCodes), 1, ReplaceOne))
	d, target := s.Data(), Target{Epsilon: 1, Delta: 1e-6}
	b := d.Bound(oneOfEach)
	for _, c := range []struct {
		name string
		plan Plan[Table]
		is   error
		says string
	}{
		{"table", b.By("code").Count().Table(target), ErrColumn, "Found(target)"},
		{"no bound", d.By("code").Count().Found(target), ErrOrder, "Bound"},
		{"pure", b.By("code").Count().Found(Target{Epsilon: 1}), nil, "delta"},
		{"nothing asked", b.By("code").Found(target), ErrParameter, "People()"},
		{"number", b.By("stay").Count().Found(target), ErrColumn, "Bin"},
		{"quantile", b.By("code").Quantile(0.5, "stay").Found(target), ErrParameter, "Codebook"},
		{"text as a number", b.By("ward").Mean("code").Table(target), ErrColumn, "code"},
		{"condition", b.Where(Between("code", 0, 1)).By("code").Count().Found(target), ErrColumn, "texts"},
	} {
		_, err := c.plan.Cost()
		if c.is != nil && !errors.Is(err, c.is) || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	if _, err := b.Mean(target).Cost(); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "Codebook") {
		t.Errorf("mean: %v", err)
	}
	if _, err := b.SecondMoment(Unbounded{Epsilon: 1, Delta: 1e-6}).Cost(); !errors.Is(err, ErrOrder) {
		t.Errorf("moments: %v", err)
	}
	if _, err := b.Quantile(target, 0.5, "code").Cost(); err == nil {
		t.Error("a quantile of texts has a price")
	}
	if _, err := b.Drop("code").By("ward").Count().Table(target).Cost(); err != nil {
		t.Errorf("without texts: %v", err)
	}
	if _, err := b.By("ward").Count().Table(target).Cost(); err != nil {
		t.Errorf("beside texts: %v", err)
	}
}

// TestFoundInALedger: a ledger charges the Gaussian of the numbers and, from its reserve, the failure; the release replays.
func TestFoundInALedger(t *testing.T) {
	s := must(Create(visitsOf(t, 400, commonCodes), Options{
		Ledger: t.TempDir() + "/l", Budget: Budget{Epsilon: 6, Delta: 1e-5}, Reserve: 5e-6, Neighbours: accountant.AddRemove, Dataset: "visits",
	}))
	defer s.Close()
	plan := s.Data().Bound(oneOfEach).Levels("code", Target{Epsilon: 2, Delta: 1e-6})
	first := must(plan.Release(context.Background()))
	again := must(plan.Release(context.Background()))
	if fmt.Sprint(first.Value.Groups, first.Value.Counts) != fmt.Sprint(again.Value.Groups, again.Value.Counts) || first.Entry != again.Entry {
		t.Error("the release does not replay")
	}
}

// TestCodebook: what was found becomes levels, on which tables, conditions and models rest; a model predicts rows with texts.
func TestCodebook(t *testing.T) {
	s := must(OnPublic(frames.Public(visitsOf(t, 8, func(i int) []string { return [][]string{{"E11"}, {"I10"}, {"rare"}, {""}}[i%4] }))))
	coded := s.Data().Bound(Contributing{Rows: 1}).Codebook("code", "other", "E11", "I10")
	target := Target{Epsilon: 1, Delta: 1e-6}
	got := must(coded.By("code").Count().Table(target).Release(context.Background())).Value
	if fmt.Sprint(got.Groups, got.Counts) != "[[E11] [I10] [other] [(missing)]] [2 2 2 2]" {
		t.Errorf("got %v, %v", got.Groups, got.Counts)
	}
	kept := must(coded.Codebook("code", "other", "I10").By("code").Count().Table(target).Release(context.Background())).Value
	if fmt.Sprint(kept.Groups, kept.Counts) != "[[I10] [other] [(missing)]] [2 4 2]" {
		t.Errorf("of a category: got %v, %v", kept.Groups, kept.Counts)
	}
	if n := must(coded.Count(target, Is("code", "I10")).Release(context.Background())).Value; n.Values[0] != 2 {
		t.Errorf("a condition: %v", n.Values)
	}
	for name, c := range map[string]Pipeline{
		"no levels": s.Data().Codebook("code", "other"), "no other": s.Data().Codebook("code", "", "E11"), "numbers": s.Data().Codebook("stay", "other", "1"),
		"unknown": s.Data().Codebook("cod", "other", "1"), "twice": s.Data().Codebook("code", "other", "a", "a"), "level": coded.Codebook("code", "other", "Z"),
	} {
		if _, err := c.PerPerson(CountRows{Max: 3}).Count(target).Cost(); err == nil {
			t.Errorf("%s: it has a price", name)
		}
	}
}

// TestFoundPeopleDoNotAddUp: numbers of people who may be in several groups are no parts of a total, and no more than all people.
func TestFoundPeopleDoNotAddUp(t *testing.T) {
	s := must(Demo(visitsOf(t, 400, commonCodes), 7, ReplaceOne))
	v := must(s.Data().Bound(Contributing{Rows: 4}).By("code").People().Found(Target{Epsilon: 2, Delta: 1e-6}).Release(t.Context())).Value
	if v.Persons != 400 || v.Rows != 1600 {
		t.Errorf("%d people, %d rows", v.Persons, v.Rows)
	}
	if _, err := v.Consistent(v); !errors.Is(err, ErrColumn) {
		t.Errorf("totals of people in several groups: %v", err)
	}
}
