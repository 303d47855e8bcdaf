package stage

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
)

// CalendarOp writes what a calendar makes of the days in column From to column Into, which is the width of a row: see
// [frames.Column.Calendar]. Days are numbers in [Lo, Hi], since the day Since.
type CalendarOp struct {
	From  int                 `json:"from"`
	Into  int                 `json:"into"`
	Unit  frames.CalendarUnit `json:"unit"`
	Since string              `json:"since"`
	Lo    float64             `json:"lo"`
	Hi    float64             `json:"hi"`
}

func (op *CalendarOp) compile(in int) (num.Block, int, error) {
	if err := positions([]int{op.From}, in); err != nil {
		return nil, 0, fmt.Errorf("calendar: %w", err)
	}
	if op.Into != in {
		return nil, 0, fmt.Errorf("calendar: got column %d to write to, want %d, the first that is new", op.Into, in)
	}
	days := frames.Date("days", op.Since, op.Since)
	days.Lo, days.Hi = op.Lo, op.Hi
	_, of, err := days.Calendar(op.Unit)
	if err != nil {
		return nil, 0, fmt.Errorf("calendar: %w", err)
	}
	return func(dst, src []float64, n int) {
		num.Widened(dst, src, n)
		for i := range n {
			dst[i*(in+1)+in] = of(src[i*in+op.From])
		}
	}, in + 1, nil
}
