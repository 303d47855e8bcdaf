package dpkit

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// checkSource reports data that a session cannot stand on: every bound needs rows that were held
// to their schema, and a charge needs the rows that are read to be those that it names.
func checkSource(src frames.Source) error {
	if v := reflect.ValueOf(src); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("got no frame, want one that a loader of package frames returned: %w", ErrParameter)
	}
	if !frames.Fixed(src) {
		return fmt.Errorf("got a %T, whose rows nobody has checked, want a frame or a file of package frames; frames.Collect makes a frame of it: %w", src, ErrParameter)
	}
	return nil
}

// hashed is the fingerprint of a session's rows, once it was asked for: it cannot change, since a
// source of package frames yields the rows that it had, or fails.
type hashed struct {
	sync.Mutex
	sum *[32]byte
}

// fingerprint names the rows to the ledger, under its secret.
func (s *Session) fingerprint(ctx context.Context) ([32]byte, error) {
	s.hashed.Lock()
	defer s.hashed.Unlock()
	if s.hashed.sum == nil {
		key, err := s.ledger.Key()
		if err != nil {
			return [32]byte{}, err
		}
		sum, err := frames.Fingerprint(ctx, s.src, key)
		if err != nil {
			return sum, err
		}
		s.hashed.sum = &sum
	}
	return *s.hashed.sum, nil
}
