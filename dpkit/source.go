package dpkit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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
		return fmt.Errorf("got a %T, whose rows nobody has checked, want a frame or a file of package frames; frames.Check puts a source under guard, frames.Collect makes a frame of it: %w", src, ErrParameter)
	}
	return nil
}

// hashed is what is known of a session's rows, once it was asked for: it cannot change, since a
// source of package frames yields the rows that it had, or fails.
type hashed struct {
	sync.Mutex
	content *frames.Content
	ordered *string
}

// fingerprint names the rows, as they are in some columns, to the ledger, under its secret.
func (s *Session) fingerprint(ctx context.Context, columns ...string) (string, error) {
	return s.contentHash(ctx, frames.Content.Fingerprint, columns)
}

// inOrder is [Session.fingerprint] of rows whose order counts.
func (s *Session) inOrder(ctx context.Context, columns []string) (string, error) {
	return s.contentHash(ctx, frames.Content.OrderedFingerprint, columns)
}

func (s *Session) contentHash(ctx context.Context, hash func(frames.Content, []byte, ...string) ([32]byte, error), columns []string) (string, error) {
	s.hashed.Lock()
	defer s.hashed.Unlock()
	key, err := s.ledger.Key()
	if err != nil {
		return "", err
	}
	if s.hashed.content == nil {
		c, err := frames.ContentOf(ctx, s.src)
		if err != nil {
			return "", err
		}
		s.hashed.content = &c
	}
	sum, err := hash(*s.hashed.content, key, columns...)
	return hex.EncodeToString(sum[:]), err
}

// boundFingerprint names a column to the ledger that is bound to it. Versions of the data have others each, so that the file
// does not tell which columns are alike in two of them.
func (s *Session) boundFingerprint(ctx context.Context, column string) (string, error) {
	sum, err := s.fingerprint(ctx, column)
	if err != nil || s.version == "" {
		return sum, err
	}
	key, err := s.ledger.Key()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("dpnb/dpkit.version/1\x00" + sum + s.version))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// orderedFingerprint names all rows in order, as ledgers of before know them.
func (s *Session) orderedFingerprint(ctx context.Context) (string, error) {
	s.hashed.Lock()
	defer s.hashed.Unlock()
	if s.hashed.ordered == nil {
		key, err := s.ledger.Key()
		if err != nil {
			return "", err
		}
		sum, err := frames.Fingerprint(ctx, s.src, key)
		if err != nil {
			return "", err
		}
		text := hex.EncodeToString(sum[:])
		s.hashed.ordered = &text
	}
	return *s.hashed.ordered, nil
}
