package local

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat/distuv"
)

// Frequency is the estimated share of people with an answer.
type Frequency struct {
	Answer string `json:"answer"`
	// Share is unbiased: it may be below 0 or above 1.
	Share float64 `json:"share"`
	// SD is the standard deviation of Share by the randomisation, given the answers.
	SD float64 `json:"sd"`
	// Lo and Hi hold the share of the population out of which people were drawn independently, with at least the level asked
	// for, in [0, 1].
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Frequencies are estimates for all answers, in the order of the scheme.
type Frequencies []Frequency

// Frequencies estimates the share of every answer, with intervals of the given level, 0 < level < 1, each on its
// own: for all of k answers together ask for 1 − (1−level)/k. With c of n reports that support an answer the estimate is
//
//	(c/n − q)/(p − q),  of variance [f p(1−p) + (1−f) q(1−q)] / (n (p−q)²)
//
// given the answers (for Hadamard, where rows are drawn anew for each report, too); the interval is that of Clopper
// and Pearson (1934) for the binomial c, mapped alike. Errors wrap [ErrParameter].
func (a *Aggregator) Frequencies(level float64) (Frequencies, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("local: frequencies: level: got %g, want a number in (0, 1): %w", level, ErrParameter)
	}
	if a.reports == 0 {
		return nil, fmt.Errorf("local: frequencies: got no report, want at least 1: %w", ErrParameter)
	}
	p, q := a.s.support()
	n := float64(a.reports)
	share := func(rate float64) float64 { return (rate - q) / (p - q) }
	var out Frequencies
	for x, c := range a.supports() {
		f := share(float64(c) / n)
		inside := min(max(f, 0), 1)
		lo, hi := clopperPearson(float64(c), n, level)
		out = append(out, Frequency{
			Answer: a.s.answers[x], Share: f,
			SD: math.Sqrt((inside*p*(1-p)+(1-inside)*q*(1-q))/n) / (p - q),
			Lo: min(max(share(lo), 0), 1), Hi: min(max(share(hi), 0), 1),
		})
	}
	return out, nil
}

// clopperPearson is the interval for the probability of c successes of n.
func clopperPearson(c, n, level float64) (lo, hi float64) {
	tail := (1 - level) / 2
	lo, hi = 0, 1
	if c > 0 {
		lo = distuv.Beta{Alpha: c, Beta: n - c + 1}.Quantile(tail)
	}
	if c < n {
		hi = distuv.Beta{Alpha: c + 1, Beta: n - c}.Quantile(1 - tail)
	}
	return lo, hi
}

// String is a plain table.
func (f Frequencies) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "answer\tshare\tinterval")
	for _, e := range f {
		fmt.Fprintf(w, "%s\t%.4f\t[%.4f, %.4f]\n", e.Answer, e.Share, e.Lo, e.Hi)
	}
	w.Flush() // a strings.Builder does not fail
	return b.String()
}
