package viz

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name    string
		cancel  int // cancelled by this run, counted from 0
		fail    int // this run fails
		want    []int
		reports string
		err     error
	}{
		{name: "all", cancel: -1, fail: -1, want: []int{1, 4, 9}, reports: "0/3 1/3 2/3 3/3"},
		{name: "fails", cancel: -1, fail: 1, want: []int{1}, reports: "0/3 1/3 3/3", err: fs.ErrClosed},
		{name: "cancelled", cancel: 0, fail: -1, want: []int{1}, reports: "0/3 1/3 3/3", err: context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var reports []string
			got, err := sweep(ctx, func(done, total int) { reports = append(reports, fmt.Sprint(done, "/", total)) }, []int{1, 2, 3},
				func(_ context.Context, n int) (int, error) {
					if n-1 == c.cancel {
						cancel()
					}
					if n-1 == c.fail {
						return 0, fs.ErrClosed
					}
					return n * n, nil
				})
			if !slices.Equal(got, c.want) || !errors.Is(err, c.err) || strings.Join(reports, " ") != c.reports {
				t.Errorf("got %v, %v, reports %v", got, err, reports)
			}
		})
	}
}
