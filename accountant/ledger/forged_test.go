package ledger

import (
	"errors"
	"testing"
)

// Lines whose checksum and chain are right but that mean nothing: also damage.
func TestForgedLines(t *testing.T) {
	good := func() charge {
		return charge{ID: request("x", 0).ID, Event: "e", Mu: 0.01, Guarantee: fileOf(request("x", 0).Guarantee)}
	}
	edited := func(edit func(*charge)) charge { c := good(); edit(&c); return c }
	for name, c := range map[string]struct {
		k       kind
		payload any
		prev    string // "": the right one
		seq     int    // 0: the right one
	}{
		"a store without a charge":   {k: kindStore, payload: store{Charge: 7, Value: []byte(`1`)}},
		"a store of another charge":  {k: kindStore, payload: store{Charge: 6, Value: []byte(`1`)}},
		"a failure without a charge": {k: kindFailed, payload: failed{Charge: 7}},
		"a store that is none":       {k: kindStore, payload: good()},
		"a failure that is none":     {k: kindFailed, payload: good()},
		"a charge that is none":      {k: kindCharge, payload: failed{Charge: 7}},
		"an unknown kind":            {k: "refund", payload: good()},
		"μ zero":                     {k: kindCharge, payload: edited(func(c *charge) { c.Mu = 0 })},
		"μ negative":                 {k: kindCharge, payload: edited(func(c *charge) { c.Mu = -1 })},
		"tv negative":                {k: kindCharge, payload: edited(func(c *charge) { c.TV = -1 })},
		"no ID":                      {k: kindCharge, payload: edited(func(c *charge) { c.ID = "" })},
		"an unknown scope":           {k: kindCharge, payload: edited(func(c *charge) { c.Guarantee.Scope = "any" })},
		"no scope":                   {k: kindCharge, payload: edited(func(c *charge) { c.Guarantee.Scope = "" })},
		"an unknown relation":        {k: kindCharge, payload: edited(func(c *charge) { c.Guarantee.Neighbours = "friends" })},
		"another relation":           {k: kindCharge, payload: edited(func(c *charge) { c.Guarantee.Neighbours = addRemove })},
		"a gap in the numbers":       {k: kindCharge, payload: good(), seq: 9},
		"another chain":              {k: kindCharge, payload: good(), prev: "00"},
	} {
		t.Run(name, func(t *testing.T) {
			b := version1(t)
			prev, seq := mustReplay(t, b).prev, 8
			if c.prev != "" {
				prev = c.prev
			}
			if c.seq != 0 {
				seq = c.seq
			}
			line, err := newRecord(seq, testTime(), c.k, c.payload, prev)
			must(t, err)
			if _, err := replayBytes(append(append(b, line...), '\n')); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
		})
	}
}

func TestForgedHeaders(t *testing.T) {
	good := mustReplay(t, version1(t)).header
	for name, edit := range map[string]func(*header){
		"a short key":   func(h *header) { h.Key = h.Key[:31] },
		"μ* zero":       func(h *header) { h.Mu = 0 },
		"no relation":   func(h *header) { h.Config.Neighbours = "" },
		"no budget":     func(h *header) { h.Config.Epsilon = 0 },
		"no dataset":    func(h *header) { h.Config.Dataset = "" },
		"other format":  func(h *header) { h.Format = "json" },
		"other version": func(h *header) { h.Version = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			h := good
			edit(&h)
			line, err := encode(h)
			must(t, err)
			if _, err := replayBytes(append(line, '\n')); !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, want ErrDamaged", err)
			}
		})
	}
	// A larger μ* than the budget's does not loosen the filter.
	h := good
	h.Mu *= 2
	line, err := encode(h)
	must(t, err)
	got := mustReplay(t, append(line, '\n'))
	if got.filter.refusal(cost{mu: good.Mu}) != "" || got.filter.refusal(cost{mu: good.Mu * 1.001}) == "" {
		t.Error("the filter follows a header that asks for more than its budget")
	}
}
