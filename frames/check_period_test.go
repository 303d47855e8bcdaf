package frames_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestPeriodsOfEverySource: the week of a row is the same whether it came from a file, a program's structs or a source that is checked.
func TestPeriodsOfEverySource(t *testing.T) {
	schema := must(frames.NewSchema(frames.Person("id").Per(frames.Week, "day"), frames.Date("day", "2024-01-01", "2024-02-29")))
	file := must(frames.ParseCSV(strings.NewReader("id,day\np,2024-01-01\np,2024-01-08\nq,2024-02-29\np,2024-01-07\n"), "t", schema, frames.CSVOptions{Header: true}))
	type visit struct {
		Who string `dpnb:"id"`
		Day string `dpnb:"day"`
	}
	structs := must(frames.FromRows(schema, slices.Values([]visit{{"p", "2024-01-01"}, {"p", "2024-01-08"}, {"q", "2024-02-29"}, {"p", "2024-01-07"}})))
	plain := must(frames.NewSchema(frames.Person("id"), frames.Date("day", "2024-01-01", "2024-02-29")))
	bare := must(frames.ParseCSV(strings.NewReader("id,day\np,2024-01-01\np,2024-01-08\nq,2024-02-29\np,2024-01-07\n"), "t", plain, frames.CSVOptions{Header: true}))
	checked := must(frames.Check(t.Context(), relabelled{bare, schema}))
	who, _ := schema.Person()
	for name, src := range map[string]frames.Source{"file": file, "structs": structs, "checked": checked} {
		var weeks []int
		err := src.Scan(t.Context(), func(b *frames.Block) error {
			for _, id := range b.Person {
				_, week := who.Split(id)
				weeks = append(weeks, week)
			}
			return nil
		})
		if err != nil || !slices.Equal(weeks, []int{0, 1, 8, 0}) {
			t.Errorf("%s: got weeks %v, %v", name, weeks, err)
		}
	}
	key := []byte("key")
	want := must(must(frames.ContentOf(t.Context(), file)).Fingerprint(key, "id", "day"))
	if got := must(must(frames.ContentOf(t.Context(), checked)).Fingerprint(key, "id", "day")); got != want {
		t.Error("the checked source has another fingerprint than the file")
	}
}
