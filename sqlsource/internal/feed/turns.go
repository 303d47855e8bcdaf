package feed

import (
	"context"
	"fmt"
	"sync"
)

// Turns are those of the scans of one source: scans of one connection wait for one another, and the first scan has the transaction in which
// rows were counted. Tx is that of the driver; its zero value is none.
type Turns[Tx comparable] struct {
	one chan struct{} // nil where scans have a connection each

	first sync.Mutex
	held  Tx
}

// OneConnection makes scans wait for one another. It is called before the first.
func (t *Turns[Tx]) OneConnection() { t.one = make(chan struct{}, 1) }

// Hold keeps a transaction for the first scan.
func (t *Turns[Tx]) Hold(tx Tx) {
	t.first.Lock()
	defer t.first.Unlock()
	t.held = tx
}

// Held hands the transaction that was kept over, once.
func (t *Turns[Tx]) Held() (tx Tx, ok bool) {
	t.first.Lock()
	defer t.first.Unlock()
	var none Tx
	tx, t.held = t.held, none
	return tx, tx != none
}

// Wait waits for the turn of a scan, which ends by Next.
func (t *Turns[Tx]) Wait(ctx context.Context) error {
	if t.one == nil {
		return nil
	}
	select {
	case t.one <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("sqlsource: scan stopped before row 1: %w", context.Cause(ctx))
	}
}

// Next gives the turn on.
func (t *Turns[Tx]) Next() {
	if t.one != nil {
		<-t.one
	}
}
