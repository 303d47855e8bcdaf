package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
)

// raise sets more of δ aside for failures than the header does. It stands before the first charge: what is set aside may not depend on
// what was released. Mu is μ* of what is left, which a later version may lower and never raises.
type raise struct {
	Reserve float64 `json:"reserve"`
	Mu      float64 `json:"mu"`
}

// raises are the configuration and μ* behind the record p.
func (h *history) raises(p *raise) (Config, float64, error) {
	c := h.config
	if h.version < 2 || h.count() > 0 {
		return c, 0, errors.New("a reserve that is raised behind a charge, or in a file of an earlier version")
	}
	if !(p.Reserve > c.Reserve) || !(p.Mu > 0) || math.IsInf(p.Mu, 1) {
		return c, 0, errors.New("a reserve that is not raised, or without a finite μ")
	}
	c.Reserve = p.Reserve
	if err := c.validate(); err != nil {
		return c, 0, err
	}
	mu, err := calibrate(c)
	return c, min(mu, p.Mu), err
}

// RaiseReserve sets Config.Reserve to reserve, durably, in a ledger that has charged nothing yet; where it is that or more, nothing is done.
// The budget stays what it is: there is less δ for noise then. Behind a charge it is [ErrConfig]: when to raise it could depend on what was
// released, and the filter's theorem holds for parts of δ that are fixed beforehand (docs/theory/mechanisms.md#budgets-of-a-ledger).
// A project of the ledger keeps its own.
func (l *Ledger) RaiseReserve(ctx context.Context, reserve float64) error {
	if l.readOnly {
		return fmt.Errorf("ledger: raise reserve: %w: use Open", ErrReadOnly)
	}
	if err := l.begin(); err != nil {
		return err
	}
	defer l.end()
	if ctx.Value(inDraw{l.gate.id}) != nil {
		return errors.New("ledger: raise reserve: asked inside the draw of a release, which holds the ledger: raise it before")
	}
	if err := l.gate.lock(ctx, l.file, l.opt.lock); err != nil {
		return err
	}
	defer l.gate.unlock(l.file)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(); err != nil {
		return err
	}
	c := l.hist.config
	if c.Reserve >= reserve {
		return nil
	}
	c.Reserve = reserve
	if err := c.validate(); err != nil {
		return err
	}
	if why := l.hist.reserved(); why != "" {
		return fmt.Errorf("ledger: raise reserve: %w: the file has %v, asked %v: %s", ErrConfig, l.hist.config.Reserve, reserve, why)
	}
	if _, bar := l.barred(); bar != nil {
		return fmt.Errorf("ledger: raise reserve: nothing was changed: %w", bar)
	}
	if os.Getenv(TrialEnv) != "" {
		return fmt.Errorf("ledger: raise reserve: %w: run the notebook first", ErrReplayOnly)
	}
	mu, err := calibrate(c)
	if err != nil {
		return err
	}
	when := l.now()
	return l.witness(ctx, func() error {
		if err := l.upgrade(when); err != nil {
			return err
		}
		return l.append(kindReserve, when, raise{Reserve: reserve, Mu: mu})
	})
}

// reserved says why the reserve cannot be raised any more; "" where it can.
func (h *history) reserved() string {
	if h.count() == 0 {
		return ""
	}
	return "it can be raised until the first charge, as what is set aside may not depend on what was released; " +
		"for releases that may fail make another ledger with a Reserve, whose budget comes on top of this one's"
}

// wayOut is what to do about a refusal for the sake of the reserve; "" for others.
func (h *history) wayOut(refusal string) string {
	switch {
	case !strings.Contains(refusal, reserveName):
		return ""
	case h.count() == 0:
		return "; nothing was charged yet, so open the ledger with that Reserve (Options.Reserve), and it is raised"
	}
	return "; " + h.reserved()
}
