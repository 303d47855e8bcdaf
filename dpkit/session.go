package dpkit

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
)

// Relations and types of the accountant that every chain needs, under one import.
const (
	ReplaceOne = accountant.ReplaceOne
	AddRemove  = accountant.AddRemove
)

// Budget is a target (ε, δ).
//
// Its fields:
//
//	Epsilon float64
//	Delta   float64
//
// Its methods:
//
//	Validate() error
//		Validate reports whether ε is positive and finite and δ is strictly between 0 and 1.
type Budget = accountant.Budget

// Options configure a session. Privacy parameters have no defaults.
type Options struct {
	Ledger     string                // path of the ledger file
	Budget     Budget                // what all releases from this ledger may cost together
	Neighbours accountant.Neighbours // ReplaceOne (a row's values change) or AddRemove (a row is zeroed out, not deleted from the file); n is public under both
	Dataset    string                // public name of the data, recorded in the ledger
	Reserve    float64               // part of Budget.Delta kept for tests and private bounds (their Delta), groups that are found, and heavy tails of sampled descent and sketches; 0: none may be used. A larger one is taken over until the first charge
	Expires    time.Time             // no release is charged from then on; zero: never
	Project    string                // path of a ledger that is charged as well, from the ledger's folder: one budget over several datasets; "": none
	Pure       float64               // part of Budget.Epsilon kept for what is pure DP in releases, which adds up in ε there; 0: none. Few numbers get Laplace noise from it: see Target
	Rehearsal  bool                  // the rows need no protection (invented, published): a ledger that is gone may be made anew
	// Version names a version of the data. The first release of each version binds it to its rows, and other
	// rows under the same version are refused. A new version of the same people's data draws on the same budget.
	Version string
}

// Session ties private data to the ledger that its releases are charged to. Nothing that depends
// on the data leaves it except through Release.
type Session struct {
	src        frames.Source
	schema     frames.Schema
	rows       int // that neighbouring tables have, or people
	unit       accountant.Unit
	neighbours accountant.Neighbours
	mode       mode
	ledger     *ledger.Ledger // private mode only
	version    string         // of the data, as the ledger knows it
	seed       uint64         // demo mode only
	pure       float64        // demo mode only: as Options.Pure
	held       int            // as in quote
	hashed     hashed
	tables     *secondTables // of the same people
	second     string        // the session is of this one of them, and releases nothing by itself; "": it is no second table's
}

// mode says where a session's privacy comes from.
type mode uint8

const (
	modePrivate mode = iota // charged to a ledger, crypto-secure noise
	modeDemo                // reproducible noise: not private
	modePublic              // data declared public: no noise
)

// demoReason is why a demonstration's results are not private.
const demoReason = "a demonstration: its noise is reproducible"

// Create starts a session with a new ledger, or opens the ledger at that path if it was created
// with the same options: a notebook's first cell may run again. Other options are an error, and a
// damaged ledger is never a fresh budget.
//
// The data is a [frames.Frame], a [frames.File], any other source under [frames.Check], or a
// [frames.Concat] of such. A file is read anew by
// whatever looks at its rows, in constant memory: see the memory notes of the steps and mechanisms.
// If it changed since it was opened, a release fails with [frames.ErrChanged] before it draws
// anything; what was charged stays charged.
func Create(f frames.Source, o Options) (*Session, error) {
	if o.Ledger == "" {
		return nil, fmt.Errorf("dpkit: create: Options.Ledger: got no path, want a file beside the notebook, for instance %q: %w", "budget.ledger", ErrParameter)
	}
	if o.Neighbours == 0 {
		return nil, fmt.Errorf("dpkit: create: Options.Neighbours is not set, want ReplaceOne (datasets of the same public size that differ in one row's value) or "+
			"AddRemove (one row is zeroed out and contributes nothing; the number of rows stays public, and no row is deleted from the file): it decides what ε promises and has no default: %w", accountant.ErrNeighbours)
	}
	s, err := newSession(f, o.Neighbours)
	if err != nil {
		return nil, err
	}
	schema := s.schema.Hash()
	s.ledger, err = ledger.OpenOrCreate(o.Ledger, ledger.Config{
		Budget: o.Budget, Neighbours: o.Neighbours, Unit: s.unit, Dataset: o.Dataset, Reserve: o.Reserve, Pure: o.Pure, Rehearsal: o.Rehearsal,
		Expires: o.Expires, Project: o.Project, Schema: hex.EncodeToString(schema[:]), Rows: s.rows,
	})
	if err != nil {
		return nil, fmt.Errorf("dpkit: create: %w", err)
	}
	s.version = o.Version
	return s, nil
}

// Open starts a session with an existing ledger, whose budget and relation it takes over.
func Open(f frames.Source, path string) (*Session, error) {
	l, err := ledger.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dpkit: open: %w", err)
	}
	s, err := newSession(f, l.Config().Neighbours)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if unit := l.Config().Unit; unit != s.unit {
		err := fmt.Errorf("dpkit: open: %s is kept per %v, and the schema makes it per %v: a budget protects the one or the other; take another ledger, or the schema that it was made for: %w", path, unit, s.unit, ErrParameter)
		return nil, errors.Join(err, l.Close())
	}
	s.ledger = l
	return s, nil
}

// Demo starts a session for teaching: its noise is reproducible from the seed, so that nothing it
// releases is private, and every result says so. It has no ledger.
func Demo(f frames.Source, seed uint64, rel accountant.Neighbours) (*Session, error) {
	s, err := newSession(f, rel)
	if err != nil {
		return nil, err
	}
	s.mode, s.seed = modeDemo, seed
	return s, nil
}

// OnPublic starts a session over data that the caller declared public. Steps and mechanisms run
// without noise, for comparison; nothing is charged, and every result says that it is not private.
func OnPublic(f *frames.PublicFrame) (*Session, error) {
	if f == nil {
		return nil, fmt.Errorf("dpkit: session: got no frame, want one that a loader of package frames returned: %w", ErrParameter)
	}
	s, err := newSession(f.Frame(), ReplaceOne)
	if err != nil {
		return nil, err
	}
	s.mode = modePublic
	return s, nil
}

func newSession(f frames.Source, rel accountant.Neighbours) (*Session, error) {
	if err := checkSource(f); err != nil {
		return nil, fmt.Errorf("dpkit: session: %w", err)
	}
	if err := rel.Validate(); err != nil {
		return nil, fmt.Errorf("dpkit: session: %w", err)
	}
	person, ok := f.Schema().Person()
	if f.Rows() < 2 && !(ok && (person.Listed() > 0 || person.Periods() > 1)) { // how many rows people have is private
		return nil, fmt.Errorf("dpkit: session: got fewer than 2 rows, want at least 2: %w", ErrParameter)
	}
	s := &Session{src: f, schema: f.Schema().Computed(), rows: f.Rows(), neighbours: rel, tables: &secondTables{}}
	if !ok {
		return s, nil
	}
	s.unit = unitOf(person)
	var err error
	if s.rows, err = frames.Protected(context.Background(), f); err != nil {
		return nil, fmt.Errorf("dpkit: session: %w", err)
	}
	if s.rows < 2 {
		return nil, fmt.Errorf("dpkit: session: got rows of fewer than 2 people, want at least 2: %w", ErrParameter)
	}
	return s, nil
}

// Data returns the empty pipeline over the session's rows.
func (s *Session) Data() Pipeline { return Pipeline{s: s} }

// Status tells what the ledger holds: spent, left, releases, and releases that were charged but
// interrupted. Demo and public sessions have none.
func (s *Session) Status() (ledger.Status, error) {
	if s.ledger == nil {
		return ledger.Status{}, errors.New("dpkit: status: this session has no ledger: it is a demonstration, or on public data")
	}
	st, err := s.ledger.Status()
	return s.remarked(st), err
}

// Close releases the ledger's file.
func (s *Session) Close() error {
	if s.ledger == nil {
		return nil
	}
	return s.ledger.Close()
}

// String tells the session's public facts.
func (s *Session) String() string {
	return fmt.Sprintf("session over %d %s × %d columns, %v neighbours, %v", s.rows, s.counted(), s.schema.Len(), s.neighbours, s.mode)
}

// counted is what n counts.
func (s *Session) counted() string {
	return s.unit.Counted()
}

func (m mode) String() string {
	switch m {
	case modeDemo:
		return "demonstration: not private"
	case modePublic:
		return "data declared public: not private"
	default:
		return "private, charged to a ledger"
	}
}
