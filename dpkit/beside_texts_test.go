package dpkit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestBesideTexts: what fills, joins or splits leaves a column of texts beside it alone, so that its groups are found as before, and what would fill or
// join by texts says what to do.
func TestBesideTexts(t *testing.T) {
	var b strings.Builder
	b.WriteString("code,typed,ward,stay\n")
	for i := range 600 {
		fmt.Fprintf(&b, "%s,%s,%c,%s\n", []string{"E11", "I10"}[i%2], []string{"a", ""}[i%2], 'a'+rune(i%2), []string{"3", "5", ""}[i%3])
	}
	s := must(frames.NewSchema(frames.Text("code"), frames.Text("typed").MayMiss(), frames.Category("ward", "a", "b"), frames.Numeric("stay", 0, 10).MayMiss()))
	data := must(Demo(must(frames.ParseCSV(strings.NewReader(b.String()), "visits", s, frames.CSVOptions{Header: true})), 7, ReplaceOne)).Data()
	public := func(key frames.Column, more ...frames.Column) *frames.PublicFrame {
		s := must(frames.NewSchema(append([]frames.Column{key, frames.Numeric("beds", 0, 50)}, more...)...))
		return frames.Public(must(frames.ParseCSV(strings.NewReader("a,20"+strings.Repeat(",x", len(more))+"\n"), "wards", s, frames.CSVOptions{})))
	}
	wards := public(frames.Category("ward", "a", "b"))
	train, test := data.Holdout(0.5)
	target := Target{Epsilon: 2, Delta: 1e-6}
	for name, p := range map[string]Pipeline{
		"midpoint": data.Impute(Midpoint{}, "stay"),
		"fixed":    data.Impute(Fixed{Value: 1}, "stay"),
		"join":     data.Join(wards, "ward"),
		"train":    train,
		"test":     test,
	} {
		got := must(p.By("code").Count().Found(target).Release(context.Background())).Value
		if levels := must(got.Levels("code")); !slices.Equal(levels, []string{"E11", "I10"}) {
			t.Errorf("%s: found %q", name, levels)
		}
	}
	if c, err := data.Impute(Midpoint{}, "stay").Codebook("code", "other", "E11").By("code").Mean("stay").Table(target).Cost(); err != nil {
		t.Errorf("a mean beside texts: %v, %v", c, err)
	}
	for name, p := range map[string]Pipeline{
		"texts, which no number fills: put Codebook":                  data.Impute(Midpoint{}, "typed"),
		"name the columns to impute":                                  data.Impute(Midpoint{}),
		"texts that no codebook lists, want a category: put Codebook": data.Join(public(frames.Category("code", "a", "b")), "code"),
		"texts, want a category: declare them as levels":              data.Join(public(frames.Text("ward")), "ward"),
		"texts: declare them as levels, or leave it out":              data.Join(public(frames.Category("ward", "a", "b"), frames.Text("note")), "ward"),
		"no codebook lists the texts of \"code\", \"typed\"":          data.Impute(Mean{}, "stay"),
	} {
		if _, err := p.By("code").Count().Found(target).Cost(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want %s, got %v", name, err)
		}
	}
}
