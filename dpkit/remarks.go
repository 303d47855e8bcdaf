package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// largeDelta warns of a δ that allows what nobody means by privacy: to publish a row picked at random is
// (0, 1/n)-DP (Dwork, Roth 2014, section 2.3). n is public. "" where δ is below 1/n.
func (s *Session) largeDelta(whose string, delta float64) string {
	if n := float64(s.rows); delta*n < 1 {
		return ""
	}
	return fmt.Sprintf("%s δ = %s is not below 1/n (n = %d %s): such a δ would allow to publish a row as it is; take one well below 1/n",
		whose, accountant.FormatUp(delta), s.rows, s.counted())
}

// remarked adds what the ledger cannot know to its status.
func (s *Session) remarked(st ledger.Status) ledger.Status {
	if w := s.largeDelta("the budget's", st.Budget.Delta); w != "" {
		st.Warnings = append(st.Warnings, w)
	}
	return st
}

// sameCharge is the relative difference of two ε that nobody asks about: calibrated noise is a little larger than
// what it is sold as, and a ledger keeps a little of its δ for the samplers.
const sameCharge = 0.01

// priced adds to a cost what the session's ledger makes of it.
func (s *Session) priced(c Cost, e accountant.Event) Cost {
	c.Warnings = append(c.Warnings, s.schema.Warnings()...)
	if w := s.largeDelta("the release's", c.Guarantee.Delta); w != "" {
		c.Warnings = append(c.Warnings, w)
	}
	if s.ledger == nil {
		return c
	}
	if why := s.ledger.Refusal(e); why != "" {
		c.Warnings = append(c.Warnings, "this session's ledger refuses the release: "+why)
	}
	b, taken, err := s.ledger.PriceParts(e)
	if err != nil {
		return c // which the warning says
	}
	if b.Delta != c.Guarantee.Delta || !(math.Abs(b.Epsilon-c.Guarantee.Epsilon) <= sameCharge*c.Guarantee.Epsilon) {
		c.Charged, c.Taken = b, taken
	}
	return c
}
