package dpkit

import (
	"fmt"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// Result is a release: the value and what it promises.
type Result[V any] struct {
	Value     V                    `json:"value"`
	Guarantee accountant.Guarantee `json:"guarantee,omitzero"`
	// NotPrivate is empty for a private release; otherwise it says why the value is not private,
	// and Guarantee is zero.
	NotPrivate string `json:"not_private,omitzero"`
	// Refused names the test of the chain that did not pass; there is no value then.
	Refused  string        `json:"refused,omitzero"`
	Cost     Cost          `json:"cost,omitzero"`
	Entry    string        `json:"entry,omitzero"`  // ID of the ledger's entry; "" where nothing was charged
	Replayed bool          `json:"replayed"`        // the ledger held the value: nothing was drawn or charged
	When     time.Time     `json:"when,omitzero"`   // of the charge
	Status   ledger.Status `json:"status,omitzero"` // of the ledger after the release
}

// String tells how the value came about, not the value.
func (r Result[V]) String() string {
	return told(&Result[any]{Guarantee: r.Guarantee, NotPrivate: r.NotPrivate, Refused: r.Refused, Replayed: r.Replayed, When: r.When, Cost: Cost{Guarantee: r.Guarantee, Charged: r.Cost.Charged}})
}

// told is a function of its own for the reason that plan is a type of its own.
func told(r *Result[any]) string {
	if r.NotPrivate != "" {
		return "NOT PRIVATE: " + r.NotPrivate
	}
	if r.Guarantee.Scope.Kind == 0 {
		return "no release" // the zero Result, as beside an error
	}
	if r.When.IsZero() {
		return fmt.Sprintf("%v; made of public facts alone: no row was read and nothing was charged", r.Guarantee)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v, %s", r.Guarantee, r.Guarantee.Route)
	if r.Refused != "" {
		fmt.Fprintf(&b, "; refused: the test did not pass (%s), and it was paid for", r.Refused)
		return b.String()
	}
	if r.Replayed {
		fmt.Fprintf(&b, "; replayed from the ledger (drawn %s): nothing was charged", r.When.Format(time.RFC3339))
	} else {
		fmt.Fprintf(&b, "; drawn now and charged")
	}
	if s := r.Cost.ChargedAs(); s != "" {
		b.WriteString("; " + s)
	}
	return b.String()
}
