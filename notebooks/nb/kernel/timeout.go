package kernel

import (
	"fmt"
	"regexp"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// timeoutLine is the comment by which a cell sets its own limit, for runs as for exported tests.
var timeoutLine = regexp.MustCompile(`(?m)^[ \t]*// ?\|[ \t]*timeout:[ \t]*(.*?)[ \t\r]*$`)

// cellTimeout returns the limit that a cell asks for, 0 where it asks for none.
func cellTimeout(c *nb.Cell) (time.Duration, error) {
	if !nb.IsGo(c.Source) {
		return 0, nil
	}
	m := timeoutLine.FindStringSubmatch(c.Source)
	if m == nil {
		return 0, nil
	}
	d, err := time.ParseDuration(m[1])
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%w: directive timeout: got %q, want a duration such as 30s", ErrTimeLimit, m[1])
	}
	return d, nil
}

// limit returns how long a cell may run, 0 or less for ever: the cell's own word wins.
func (r *run) limit(c *nb.Cell) time.Duration {
	if d, err := cellTimeout(c); err == nil && d > 0 {
		return d
	}
	return r.Timeout
}
