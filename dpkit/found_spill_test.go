package dpkit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestFoundGroupsThatDoNotFit: where groups do not fit the session's memory they wait in a file, and what is found has the same bits, however
// often it is drawn; nothing of the file is left, and where there can be none groups stay in memory.
func TestFoundGroupsThatDoNotFit(t *testing.T) {
	f := visitsOf(t, 3000, func(i int) []string {
		codes := []string{fmt.Sprintf("own%d", i), fmt.Sprintf("two%d", i/2)}
		if i < 400 {
			codes = append(codes, "E11", "E11")
		}
		return codes
	})
	target := Target{Epsilon: 2, Delta: 1e-6}
	plans := func(p Pipeline) map[string]Plan[Table] {
		return map[string]Plan[Table]{
			"people":                    p.Levels("code", target),
			"people with values":        p.By("code", "ward").People().Mean("stay").Found(target),
			"people apart from rows":    p.PerPerson(MostFrequent{Column: "ward"}, Latest{Column: "code", By: "stay"}).Levels("code", target),
			"people beside their rows":  p.By("code").People().Count().Found(target),
			"people of several columns": p.By("ward", "code").People().Found(target),
		}
	}
	for name := range plans(Pipeline{}) {
		t.Run(name, func(t *testing.T) {
			open := func(memory int, of frames.Source) Plan[Table] {
				s := must(Demo(of, 7, AddRemove))
				must(0, s.Memory(memory))
				p := s.Data()
				switch name {
				case "people beside their rows":
					p = p.Bound(Contributing{Rows: 5})
				case "people apart from rows":
				default:
					p = p.Bound(oneOfEach)
				}
				return plans(p)[name]
			}
			folder := t.TempDir()
			t.Setenv("TMPDIR", folder)
			want := must(open(1<<30, f).Release(t.Context())).Value
			got := must(open(16, f).Release(t.Context())).Value
			if len(want.Groups) == 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			again, all := must(open(16, f.Blocks(7)).Replicate(t.Context(), 3)), must(open(1<<30, f).Replicate(t.Context(), 3))
			if fmt.Sprint(again) != fmt.Sprint(all) {
				t.Errorf("got %v, want %v", again, all)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := open(16, f).Release(ctx); err == nil {
				t.Error("no error of a context that has ended")
			}
			if left := must(os.ReadDir(folder)); len(left) > 0 {
				t.Errorf("%d files are left", len(left))
			}
			t.Setenv("TMPDIR", filepath.Join(folder, "none"))
			if got := must(open(16, f).Release(t.Context())).Value; !reflect.DeepEqual(got, want) {
				t.Errorf("without a folder: got %v, want %v", got, want)
			}
		})
	}
}
