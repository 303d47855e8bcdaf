package models

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// dayNumber is number for a column of dates: a cell is a [time.Time], whose day counts as it is written there, or a text as the column's
// files have it.
func dayNumber(c frames.Column, x any) (v float64, err error) {
	r, err := held(x)
	if err != nil {
		return 0, err
	}
	if r.IsValid() && r.CanInterface() {
		if t, ok := r.Interface().(time.Time); ok {
			if v, err = c.DayNumber(t.Format(time.DateOnly)); err != nil {
				return 0, fmt.Errorf("got a time in the year %d, want %s: %w", t.Year(), wantedDays(c), frames.ErrDate)
			}
			return heldToDays(c, v)
		}
	}
	text, v, isNumber, err := plain(x)
	switch t := strings.TrimSpace(text); {
	case err != nil:
		return 0, err
	case isNumber && math.IsNaN(v), !isNumber && slices.Contains(missingTexts, t):
		return math.NaN(), nil
	default:
		if v, err = c.ReadDay(t); err != nil {
			return 0, fmt.Errorf("got %s, want %s, or a time.Time: %w", short(text), wantedDays(c), frames.ErrDate)
		}
	}
	return heldToDays(c, v)
}

// heldToDays holds a day to the column's.
func heldToDays(c frames.Column, v float64) (float64, error) {
	switch {
	case v >= c.Lo && v <= c.Hi:
		return v, nil
	case c.Clamp:
		return min(max(v, c.Lo), c.Hi), nil
	}
	return 0, fmt.Errorf("got %s, want %s: the model is of rows in these days; move the day to the nearer one if that is what it means: %w", c.DayText(v), wantedDays(c), frames.ErrBounds)
}

// wantedDays are the days of a column in words.
func wantedDays(c frames.Column) string {
	return fmt.Sprintf("a day from %s to %s, written so", c.DayText(c.Lo), c.DayText(c.Hi))
}
