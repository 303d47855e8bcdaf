package stage

import (
	"errors"
	"fmt"
)

// ErrNonPrivate is returned by every attempt to print or store a [NonPrivate] value.
var ErrNonPrivate = errors.New("dpkit: a fitted preprocessing parameter is not private: it must not leave the pipeline; release a private estimate of it instead")

// NonPrivate wraps what a preprocessing step learnt from private rows without noise. It formats
// as a notice and cannot be serialised (the release rule, docs/theory/calculus.md#the-release-rule).
// The step alone holds it, in the [Transform] that its Fit returns.
type NonPrivate[T any] struct {
	get func() T // behind a function, where reflection and fmt cannot look
}

// Hide wraps a value. What it is made of must not be changed afterwards.
func Hide[T any](v T) NonPrivate[T] { return NonPrivate[T]{func() T { return v }} }

// Get returns the value, for the map that applies it to rows; the zero NonPrivate holds the zero value.
func (p NonPrivate[T]) Get() T {
	if p.get == nil {
		var zero T
		return zero
	}
	return p.get()
}

// Format prints a notice in place of the value, for every verb.
func (NonPrivate[T]) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[non-private]")) }

// MarshalJSON returns [ErrNonPrivate].
func (NonPrivate[T]) MarshalJSON() ([]byte, error) { return nil, ErrNonPrivate }

// MarshalText returns [ErrNonPrivate].
func (NonPrivate[T]) MarshalText() ([]byte, error) { return nil, ErrNonPrivate }

// GobEncode returns [ErrNonPrivate].
func (NonPrivate[T]) GobEncode() ([]byte, error) { return nil, ErrNonPrivate }
