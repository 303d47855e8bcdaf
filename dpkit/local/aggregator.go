package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
)

// Aggregator counts reports. It holds one number for each answer, or row of the Hadamard matrix. Counts are integers, so
// that the order of reports does not matter. It is not safe for concurrent use: give each stream its own and Merge them.
type Aggregator struct {
	s        Scheme
	counts   []int64
	reports  int64
	rejected int64
}

// NewAggregator returns an empty one. The error wraps [ErrParameter].
func NewAggregator(s Scheme) (*Aggregator, error) {
	if s.id == "" {
		return nil, fmt.Errorf("local: aggregator: got the zero scheme, want one that New returned: %w", ErrParameter)
	}
	n := len(s.answers)
	if s.encoding == Hadamard {
		n = s.order
	}
	return &Aggregator{s: s, counts: make([]int64, n)}, nil
}

// Add takes in one report. The error of one that is not of the scheme wraps [ErrReport]; it is counted as rejected.
func (a *Aggregator) Add(r Report) error {
	if err := a.s.Check(r); err != nil {
		a.rejected++
		return err
	}
	a.reports++
	switch a.s.encoding {
	case Direct:
		a.counts[*r.Answer]++
	case Hadamard:
		a.counts[*r.Row] += int64(1 - 2**r.Sign)
	default:
		for i := range a.s.answers {
			a.counts[i] += int64(r.Bits[i/8] >> (i % 8) & 1)
		}
	}
	return nil
}

// Stream adds every line of JSON until the end or ctx. Lines that are no reports of the scheme are counted as rejected and
// passed over: they come from anyone.
func (a *Aggregator) Stream(ctx context.Context, reports io.Reader) error {
	in := bufio.NewReaderSize(reports, maxLine)
	for line := 1; ; line++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("local: aggregate: stopped before line %d: %w", line, context.Cause(ctx))
		}
		text, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) { // pass over the rest of it
			_, err = in.ReadSlice('\n')
		}
		switch {
		case long:
			a.rejected++
		case len(text) > 0:
			if r, err := a.s.Decode(text); err != nil {
				a.rejected++
			} else if err := a.Add(r); err != nil {
				return err // unreachable: Decode checked it
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("local: aggregate: line %d: %w", line, err)
		}
	}
}

// Merge adds what another aggregator of the same scheme counted. The error wraps [ErrParameter].
func (a *Aggregator) Merge(b *Aggregator) error {
	if b == nil || a.s.id != b.s.id {
		return fmt.Errorf("local: merge: got an aggregator of another scheme: %w", ErrParameter)
	}
	for i, n := range b.counts {
		a.counts[i] += n
	}
	a.reports += b.reports
	a.rejected += b.rejected
	return nil
}

// Reports is how many were counted, or the largest int.
func (a *Aggregator) Reports() int { return int(min(a.reports, math.MaxInt)) }

// Rejected is how many lines or reports were not of the scheme, or the largest int.
func (a *Aggregator) Rejected() int { return int(min(a.rejected, math.MaxInt)) }

// supports returns for each answer how many reports support it.
func (a *Aggregator) supports() []int64 {
	k := len(a.s.answers)
	if a.s.encoding != Hadamard {
		return append([]int64(nil), a.counts...)
	}
	// Σ over reports of sign·H(row, x+1) by the fast transform; (n + that)/2 of them agree.
	t := append([]int64(nil), a.counts...)
	for half := 1; half < len(t); half *= 2 {
		for from := 0; from < len(t); from += 2 * half {
			for i := from; i < from+half; i++ {
				t[i], t[i+half] = t[i]+t[i+half], t[i]-t[i+half]
			}
		}
	}
	out := make([]int64, k)
	for x := range out {
		out[x] = (a.reports + t[x+1]) / 2
	}
	return out
}
