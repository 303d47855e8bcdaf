package pdp

import (
	"errors"
	"fmt"
	"log/slog"
)

// ErrCuratorOnly reports an attempt to serialise what only the curator may see.
var ErrCuratorOnly = errors.New("for the curator only")

// A Curator value depends on private data beyond what was released. Every verb of fmt, encoding and log/slog get a
// fixed text or an error; [Curator.Open] is the only way to the value. Opened values need the care
// that the data need.
type Curator[T any] struct {
	// A function, since fmt prints the fields of values that lie in unexported fields of others without
	// asking their methods.
	open func() T
}

// Seal hides a value that depends on private data, for the curator alone.
func Seal[T any](v T) Curator[T] { return sealed(v) }

func sealed[T any](v T) Curator[T] { return Curator[T]{open: func() T { return v }} }

// Open returns the value; ok is false for the zero Curator, which holds none.
func (c Curator[T]) Open() (value T, ok bool) {
	if c.open == nil {
		return value, false
	}
	return c.open(), true
}

const curatorText = "for the curator only: use Open"

// Format prints the same text for every verb.
func (c Curator[T]) Format(f fmt.State, _ rune) { fmt.Fprint(f, curatorText) }

// String says that the value is not to be printed.
func (c Curator[T]) String() string { return curatorText }

// LogValue says that the value is not to be logged.
func (c Curator[T]) LogValue() slog.Value { return slog.StringValue(curatorText) }

// MarshalJSON returns an error that wraps [ErrCuratorOnly].
func (c Curator[T]) MarshalJSON() ([]byte, error) { return nil, c.refuse() }

// MarshalText returns an error that wraps [ErrCuratorOnly].
func (c Curator[T]) MarshalText() ([]byte, error) { return nil, c.refuse() }

// MarshalBinary returns an error that wraps [ErrCuratorOnly].
func (c Curator[T]) MarshalBinary() ([]byte, error) { return nil, c.refuse() }

// GobEncode returns an error that wraps [ErrCuratorOnly].
func (c Curator[T]) GobEncode() ([]byte, error) { return nil, c.refuse() }

func (c Curator[T]) refuse() error {
	return fmt.Errorf("pdp: serialise: got a Curator value, want what was released: %w", ErrCuratorOnly)
}
