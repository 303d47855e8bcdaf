package ledger

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// totals are sums of charges, each rounded up.
type totals struct {
	sum  *big.Float // Σ μ_i²; 512 bits hold it exactly unless the μ_i differ by 2²⁰⁰
	tv   float64    // Σ tv_i
	fail float64    // Σ fail_i
	pure *big.Float // Σ ε_i, as exact as sum
}

func noTotals() totals { return totals{sum: roundUp(), pure: roundUp()} }

// with are the totals with one more charge.
func (t totals) with(c cost) totals {
	return t.and(totals{sum: square(c.mu), tv: c.tv, fail: c.fail, pure: new(big.Float).SetFloat64(c.pure)})
}

func (t totals) and(o totals) totals {
	return totals{roundUp().Add(t.sum, o.sum), addUp(t.tv, o.tv), addUp(t.fail, o.fail), roundUp().Add(t.pure, o.pure)}
}

// largest has the larger of each sum.
func (t totals) largest(o totals) totals {
	if t.sum.Cmp(o.sum) < 0 {
		t.sum = o.sum
	}
	if t.pure.Cmp(o.pure) < 0 {
		t.pure = o.pure
	}
	t.tv, t.fail = max(t.tv, o.tv), max(t.fail, o.fail)
	return t
}

// A release that read one part of a split of the people alone costs those of the other parts nothing, whatever came out of any release
// before: for each of them, given all that was released, it has one law on both of two neighbouring datasets. So what the charges come to
// for a person is the sum of those of all releases that read everybody and, of each split, those of the part that this person is in. The
// filter holds if it holds for every person; where it adds up, the parts of a split count as the largest of them does, in each sum.
// (Parallel composition: McSherry 2009, Theorem 4; docs/theory/tables.md#splits-of-people.)

// splits are the totals of each part of each split. It is replaced, never changed.
type splits map[string]map[string]totals

// with is s with one more charge of a part.
func (s splits) with(split, part string, c cost) splits {
	out := maps.Clone(s)
	if out == nil {
		out = splits{}
	}
	parts := maps.Clone(out[split])
	if parts == nil {
		parts = map[string]totals{}
	}
	had, ok := parts[part]
	if !ok {
		had = noTotals()
	}
	parts[part] = had.with(c)
	out[split] = parts
	return out
}

// worst are what all splits but one cost at most.
func (s splits) worst(but string) totals {
	all := noTotals()
	for split, parts := range s {
		if split == but {
			continue
		}
		most := noTotals()
		for _, of := range parts {
			most = most.largest(of)
		}
		all = all.and(most)
	}
	return all
}

// of is the filter as those see it who are in a part of a split: its totals are theirs at most. Of no split it is everybody's.
func (f *filter) of(split, part string) *filter {
	if split == "" {
		return f
	}
	own := *f
	own.totals = f.whole.and(f.splits.worst(split))
	if of, ok := f.splits[split][part]; ok {
		own.totals = own.totals.and(of)
	}
	return &own
}

// add counts c as it was routed, whether or not it fits: what is in the file has happened.
func (f *filter) add(c cost, split, part string) {
	if split == "" {
		f.whole = f.whole.with(c)
	} else {
		f.splits = f.splits.with(split, part, c)
	}
	f.total()
}

// total makes the totals of the person for whom they are largest, or more.
func (f *filter) total() { f.totals = f.whole.and(f.splits.worst("")) }

// splitKey tells a split from those of other versions of the data.
func splitKey(version, split string) string {
	if split == "" {
		return ""
	}
	return version + "\n" + split
}

func (r Request) splitKey() string { return splitKey(r.Version, r.Split) }

func (e Entry) splitKey() string { return splitKey(e.Version, e.Split) }

// validateSplit checks the part that a request names.
func (r Request) validateSplit() error {
	if (r.Split == "") != (r.Part == "") {
		return fmt.Errorf("ledger: request: split and part: got %q and %q, want both or neither", r.Split, r.Part)
	}
	return errors.Join(checkText("request: split", r.Split), checkText("request: part", r.Part))
}

// splitSum is what the charges of a part of a split come to, in a checkpoint.
type splitSum struct {
	Split string  `json:"split"`
	Part  string  `json:"part"`
	Mu2   string  `json:"mu2"`
	TV    float64 `json:"tv"`
	Fail  float64 `json:"fail"`
	Pure  string  `json:"pure"`
}

// sums lists what a checkpoint says of the splits, in order.
func (s splits) sums() (out []splitSum) {
	for _, split := range slices.Sorted(maps.Keys(s)) {
		for _, part := range slices.Sorted(maps.Keys(s[split])) {
			t := s[split][part]
			out = append(out, splitSum{split, part, t.sum.Text('p', 0), t.tv, t.fail, t.pure.Text('p', 0)})
		}
	}
	return out
}

// restore sets the sums that a checkpoint says.
func (f *filter) restore(c *checkpoint) error {
	whole, err := read(splitSum{Mu2: c.Mu2, TV: c.TV, Fail: c.Fail, Pure: c.Pure})
	if err != nil {
		return err
	}
	all := splits{}
	for _, of := range c.Splits {
		t, err := read(of)
		if err != nil {
			return err
		}
		if all[of.Split] == nil {
			all[of.Split] = map[string]totals{}
		}
		all[of.Split][of.Part] = t
	}
	f.whole, f.splits = whole, all
	f.total()
	return nil
}

func read(s splitSum) (totals, error) {
	t := noTotals()
	_, _, err1 := t.sum.Parse(s.Mu2, 0)
	_, _, err2 := t.pure.Parse(s.Pure, 0)
	if err1 != nil || err2 != nil || t.sum.Sign() < 0 || t.pure.Sign() < 0 {
		return t, errors.New("a checkpoint without a sum")
	}
	t.tv, t.fail = s.TV, s.Fail
	return t, nil
}
