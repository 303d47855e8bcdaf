package sums

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

func (m Mean) WasText() string { return kind.Call("Means", m.Was()) }

// IdentityText: the call was Means.
func (m Mean) IdentityText() string { return "Means" + strings.TrimPrefix(kind.TextOf(m), "Mean") }

func (s Sum) WasText() string { return kind.Call("Sum", s.Was()) }

func (c Count) WasText() string {
	args := []string{c.Was()}
	for _, w := range c.Where {
		args = append(args, w.Was())
	}
	return kind.Call("Count", args...)
}

func (h Histogram) WasText() string {
	return kind.Call("Histogram", fmt.Sprintf("%q", h.Column), h.Was())
}

func (q Quantile) WasText() string {
	args := []string{q.Target.Was(), fmt.Sprintf("%g", q.Q), fmt.Sprintf("%q", q.Column)}
	if n := len(q.Candidates); n > 0 {
		h := sha256.New()
		for _, v := range q.Candidates {
			_ = binary.Write(h, binary.BigEndian, math.Float64bits(v)) // a hash takes all
		}
		args = append(args, fmt.Sprintf("%d candidates in [%g, %g], hash %x", n, q.Candidates[0], q.Candidates[n-1], h.Sum(nil)[:8]))
	}
	return kind.Call("Quantile", args...)
}
