package dpkit

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestForkedChainsShareNoTable: a chain writes over its own table alone. Plans that were forked from one chain, released at the same time and again, with both
// sides of a split, have the values that each has by itself, whether the source is a frame, rows that are read anew, or a small memory.
func TestForkedChainsShareNoTable(t *testing.T) {
	f := tinyFrame(t, 300, 3)
	target := Target{Epsilon: 1, Delta: 1e-6}
	plans := func(memory int) map[string]func(ctx context.Context) (string, error) {
		d := must(Demo(frames.Source(f), 9, ReplaceOne))
		if memory == 0 {
			d = must(Demo(must(frames.Check(t.Context(), struct{ frames.Source }{f})), 9, ReplaceOne))
		} else if err := d.Memory(memory); err != nil {
			t.Fatal(err)
		}
		out := map[string]func(ctx context.Context) (string, error){}
		add := func(name string, p Pipeline) {
			mean, gram := p.Mean(target), p.Gram(target)
			out[name+" mean"] = func(ctx context.Context) (string, error) {
				r, err := mean.Release(ctx)
				return fmt.Sprint(r.Value), err
			}
			out[name+" gram"] = func(ctx context.Context) (string, error) {
				r, err := gram.Release(ctx)
				return fmt.Sprint(r.Value), err
			}
		}
		base := d.Data()
		train, test := base.Holdout(0.3)
		for side, p := range map[string]Pipeline{"all": base, "train": train, "test": test} {
			wide := p.OneHot().Impute(Mean{})
			add(side, wide)
			add(side+" scaled", wide.Scale())
			add(side+" dedup", p.OneHot().Dedup(Exact{}).Impute(Mean{}))
			add(side+" narrow", wide.Scale().Drop("age"))
		}
		return out
	}
	for _, memory := range []int{0, 1 << 20, 1 << 12} {
		want := map[string]string{}
		for name := range plans(memory) {
			v, err := plans(memory)[name](t.Context())
			if want[name] = fmt.Sprint(v, err); err != nil {
				t.Errorf("memory %d: %s: %v", memory, name, err)
			}
		}
		all := plans(memory)
		for range 2 { // released again: the same bits, as a demonstration draws by its plan
			var wg sync.WaitGroup
			for name, release := range all {
				wg.Go(func() {
					v, err := release(t.Context())
					if got := fmt.Sprint(v, err); got != want[name] {
						t.Errorf("memory %d: %s: got %.200s, want %.200s", memory, name, got, want[name])
					}
				})
			}
			wg.Wait()
		}
	}
}
