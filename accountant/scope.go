package accountant

import (
	"fmt"
	"slices"
	"strings"
)

// Scope says for which pairs of datasets a guarantee holds. The zero value says nothing:
// begin with Scope{Kind: Unconditional}.
type Scope struct {
	Kind ScopeKind `json:"kind"`
	// On lists the declarations that a Conditional scope rests on, or the tests of a Tested one.
	// A Conditional scope that also rests on tests lists both.
	On []string `json:"on,omitempty"`
}

// ScopeKind orders scopes from strongest to weakest.
type ScopeKind uint8

const (
	// Unconditional holds for every dataset in the public domain.
	Unconditional ScopeKind = iota + 1
	// Tested is unconditional through propose-test-release; the test is part of the bill.
	Tested
	// Conditional holds only between datasets that satisfy the listed declarations.
	Conditional
)

// Validate reports whether the kind is defined and its list is there exactly when it is needed.
func (s Scope) Validate() error {
	switch {
	case s.Kind != Unconditional && s.Kind != Tested && s.Kind != Conditional:
		return fmt.Errorf("accountant: scope: got %v, want Unconditional, Tested or Conditional", s.Kind)
	case s.Kind == Unconditional && len(s.On) > 0:
		return fmt.Errorf("accountant: scope: an unconditional scope lists %q, want no list; say Tested or Conditional", s.On)
	case s.Kind != Unconditional && len(s.On) == 0:
		return fmt.Errorf("accountant: scope: a %v scope lists nothing, want what it rests on", s.Kind)
	}
	return nil
}

// Join is the scope of a release that rests on both: the weaker kind and the merged lists,
// in order of first mention. Joined with the zero value it is the zero kind.
func (s Scope) Join(t Scope) Scope {
	j := Scope{Kind: max(s.Kind, t.Kind)}
	if s.Kind == 0 || t.Kind == 0 {
		j.Kind = 0
	}
	for _, on := range slices.Concat(s.On, t.On) {
		if !slices.Contains(j.On, on) {
			j.On = append(j.On, on)
		}
	}
	return j
}

// String reads "unconditional", "tested: a; b" or "conditional on a; b".
func (s Scope) String() string {
	on := strings.Join(s.On, "; ")
	switch {
	case s.Kind == Unconditional && on == "":
		return "unconditional"
	case s.Kind == Tested && on != "":
		return "tested: " + on
	case s.Kind == Conditional && on != "":
		return "conditional on " + on
	case s.Kind == 0:
		return "scope not set"
	default:
		return fmt.Sprintf("invalid scope (%v, %q)", s.Kind, s.On)
	}
}

// String names the kind.
func (k ScopeKind) String() string {
	switch k {
	case Unconditional:
		return "unconditional"
	case Tested:
		return "tested"
	case Conditional:
		return "conditional"
	default:
		return fmt.Sprintf("ScopeKind(%d)", uint8(k))
	}
}

// MarshalText writes the kind's name.
func (k ScopeKind) MarshalText() ([]byte, error) {
	if k != Unconditional && k != Tested && k != Conditional {
		return nil, fmt.Errorf("accountant: scope: got %v, want Unconditional, Tested or Conditional", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (k *ScopeKind) UnmarshalText(text []byte) error {
	for _, kind := range []ScopeKind{Unconditional, Tested, Conditional} {
		if string(text) == kind.String() {
			*k = kind
			return nil
		}
	}
	return fmt.Errorf("accountant: scope: got %q, want %q, %q or %q", text, Unconditional, Tested, Conditional)
}
