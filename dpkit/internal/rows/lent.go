package rows

import (
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// A lender is a source with blocks for who reads it, which lie ready for the next pass: see [frames.Narrow] and [Mapped].
type lender interface {
	Lent() *frames.Block
	GiveBack(b *frames.Block)
}

// lending is what the workers of a pass have of a source: blocks of a lender, or of their own.
type lending struct {
	of  lender // nil: none
	mu  sync.Mutex
	out []*frames.Block
}

func lendingOf(in frames.Source) *lending {
	of, _ := in.(lender)
	return &lending{of: of}
}

// block is one for a worker.
func (l *lending) block() *frames.Block {
	if l.of == nil {
		return &frames.Block{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.of.Lent()
	l.out = append(l.out, b)
	return b
}

// back gives all blocks back, when the pass is over: no worker keeps one.
func (l *lending) back() {
	for _, b := range l.out {
		l.of.GiveBack(b)
	}
}
