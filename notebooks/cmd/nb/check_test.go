package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb/export"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// TestCheckStatus: a check that was stopped, before its first cell too, is none that was used wrongly.
func TestCheckStatus(t *testing.T) {
	for want, errs := range map[int][]error{
		exitCell:        {export.ErrStale, &kernel.CellError{Cell: 1, Err: kernel.ErrCell}, context.Canceled},
		exitEnvironment: {kernel.ErrUnavailable, export.ErrModule},
		exitUsage:       {export.ErrNoOutputs},
	} {
		for _, err := range errs {
			if got := checkStatus(fmt.Errorf("nb: %w", err)); got != want {
				t.Errorf("%v: exit %d, want %d", err, got, want)
			}
		}
	}
}
