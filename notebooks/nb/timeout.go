package nb

import (
	"fmt"
	"regexp"
	"time"
)

// timeoutLine is the comment by which a cell sets its own limit, for runs as for exported tests.
var timeoutLine = regexp.MustCompile(`(?m)^[ \t]*// ?\|[ \t]*timeout:[ \t]*(.*?)[ \t\r]*$`)

// timeout returns the limit that the cell asks for, 0 where it asks for none.
func (c *Cell) timeout() (time.Duration, error) {
	if !IsGo(c.Source) {
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
func (r *run) limit(c *Cell) time.Duration {
	if d, err := c.timeout(); err == nil && d > 0 {
		return d
	}
	return r.Timeout
}
