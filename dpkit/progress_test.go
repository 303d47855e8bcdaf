package dpkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// progressPlan has two fitted steps and ten noisy ones.
func progressPlan(s *Session) Plan[LogisticModel] {
	return s.Data().OneHot().Impute(Mean{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10})
}

// follow collects the reports of a release.
func follow(reports *[]string) context.Context {
	return WithProgress(context.Background(), func(done, total int) { *reports = append(*reports, fmt.Sprint(done, "/", total)) })
}

// What is reported depends on the plan alone, not on the rows, and the two counts end at their totals.
func TestProgressOfRelease(t *testing.T) {
	var want []string
	for done := range 4 {
		want = append(want, fmt.Sprint(done, "/3"))
	}
	for done := range 11 {
		want = append(want, fmt.Sprint(done, "/10"))
	}
	for _, seed := range []uint64{1, 2, 3} {
		var got []string
		if _, err := progressPlan(demo(t, tinyFrame(t, 200, seed))).Release(follow(&got)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("rows of seed %d: got %v, want %v", seed, got, want)
		}
	}
}

func TestProgressOfReplay(t *testing.T) {
	s := private(t, tinyFrame(t, 200, 1), ledgerPath(t), Budget{Epsilon: 2, Delta: 1e-5})
	var first, second []string
	for _, reports := range []*[]string{&first, &second} {
		if _, err := progressPlan(s).Release(follow(reports)); err != nil {
			t.Fatal(err)
		}
	}
	if len(first) != 15 || len(second) != 0 {
		t.Errorf("the release reported %v, its replay %v", first, second)
	}
}

func TestProgressEndsWhereTheReleaseFails(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var got []string
	ctx = WithProgress(ctx, func(done, total int) {
		if got = append(got, fmt.Sprint(done, "/", total)); done == 4 {
			cancel()
		}
	})
	if _, err := progressPlan(demo(t, tinyFrame(t, 200, 1))).Release(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if last := got[len(got)-1]; last != "10/10" {
		t.Errorf("the last report is %s", last)
	}
	if _, err := progressPlan(demo(t, tinyFrame(t, 200, 1))).Release(WithProgress(context.Background(), nil)); err != nil {
		t.Error(err)
	}
}
