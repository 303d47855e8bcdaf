package stage

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/budget"
	"github.com/dpkit-go/dpnb/frames"
)

// A Preprocessor transforms every row, after fitting itself to the data without noise if it has
// to. Check and Propagate see public facts only; Fit is the only place that sees rows.
//
// The guarantee of a chain is no better than the propagation that its steps report, and is conditional on that of every
// step which is not of this package: Propagate must hold for every pair of datasets of the domain, and what Fit returns must keep to the schema of
// Check and the norm bound R. Errors and panics of Fit must not depend on rows. A step is a struct of exported parameters
// that [Register] was told of: a private release is told apart by them and by the registered name and law, not by the
// step's code. Package stagetest attacks what Propagate states.
type Preprocessor interface {
	// Check returns the public domain of the rows that come out, given that of the rows that go in.
	Check(in frames.Schema) (out frames.Schema, err error)
	// Propagate moves the pair state through the step and lists the constants that the move rests on.
	Propagate(st Stage) (Propagation, error)
	// Fit reads the rows and returns the map to apply to each of them.
	Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error)
}

// A Deployer is a [Preprocessor] that has an equivalent or a stand-in made of public facts, for
// rows that arrive at prediction time.
type Deployer interface {
	Deploy(st Stage) (RowMap, error)
}

// Stage is the public context of a step in its chain.
type Stage struct {
	In, Out frames.Schema
	Before  pair.State // on the rows that go in
	After   pair.State // on the rows that come out; zero in Propagate, which computes it
	Taint   Taint      // of the columns that go in
	// Empty says that rows may have been removed: an empty row keeps its place and contributes
	// nothing. The free row can then be empty on one side.
	Empty bool
	// Unordered says that the rows of the two sides correspond to each other up to a permutation
	// only: a step or a mechanism that looks at the position of a row has no bound.
	Unordered bool

	Spent budget.Spent // by the steps before a mechanism
}

// Bounds returns the public bounds of a feature's values. Where rows may be empty they include 0:
// a fit counts an empty row as a row of zeros.
func (st Stage) Bounds(c frames.Column) (lo, hi float64) {
	if st.MayBeEmpty() {
		return min(c.Lo, 0), max(c.Hi, 0)
	}
	return c.Lo, c.Hi
}

// MayBeEmpty reports whether the free row may be empty on one side: a row that a step removed, or
// the row that the neighbouring dataset does not have.
func (st Stage) MayBeEmpty() bool {
	return st.Empty || st.Before.Neighbours == accountant.AddRemove
}

// Taint names the columns in which a common row may differ between the two sides of the pair.
// The other columns are clean (docs/theory/calculus.md#the-pair-state). It is never empty while rows are displaced.
type Taint map[string]bool

// After returns the taint behind a step that reports t, where before went in: a column stays
// tainted for as long as it is there. It fails where the report cannot be complete, because
// mechanisms count on the columns that it leaves out.
func (t Taint) After(before Taint, out frames.Schema, p pair.State) (Taint, error) {
	if !p.Displaced() {
		return nil, nil
	}
	next := Taint{}
	for name, on := range t {
		if _, ok := out.FeatureIndex(name); !ok {
			return nil, fmt.Errorf("its taint names column %q, which is no feature after the step; a tainted column may not be renamed or encoded: %w", name, ErrOrder)
		}
		if on {
			next[name] = true
		}
	}
	if len(next) == 0 {
		return nil, fmt.Errorf("the step displaces rows and its taint names no column, want every column that may differ in a common row: %w", ErrOrder)
	}
	for name, on := range before {
		if _, ok := out.FeatureIndex(name); ok && on {
			next[name] = true
		}
	}
	return next, nil
}

// With returns the taint and those columns.
func (t Taint) With(names ...string) Taint {
	out := make(Taint, len(t)+len(names))
	for n := range t {
		out[n] = true
	}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// Role says what a step needs at prediction time (release rule).
type Role string

const (
	// RolePublic marks a step that is a public row map, at training and prediction time alike.
	RolePublic Role = "public"
	// RoleTrainOnly marks a step whose fit stays inside the pipeline; prediction uses its public stand-in.
	RoleTrainOnly Role = "train-only"
	// RolePrivate marks a step whose fit is a private release of its own: prediction uses it too.
	RolePrivate Role = "private"
	// RoleDeploy marks a step that prediction needs and whose fit is not private: a model that reads
	// rows cannot be released behind it.
	RoleDeploy Role = "deploy-time"
)

// Propagation is the public account of one step.
type Propagation struct {
	Pair      pair.State
	Taint     Taint
	Scope     accountant.Scope
	Role      Role
	Constants []Constant
	// Empties says that the step may remove rows: those behind it see Stage.Empty and Stage.Unordered.
	Empties   bool
	Note      string // one sentence: why this costs what it costs
	Reference string // author, year, theorem
}

// Transform maps one row: it writes the image of src, which it must not change, to dst. The image
// depends on the row alone: where a table is not held in memory, the map is applied anew by whoever
// reads it. A step of this package may be asked for several rows at a time; one of the caller's own
// is called for one row after the other, in any order. It may hold what Fit learnt, so it never
// leaves the session.
type Transform func(dst, src []float64)

// Bounds describe a public map that treats every column on its own.
type Bounds struct {
	K        float64 // Lipschitz constant on the tainted columns
	R        float64 // bound on a row's norm after the step
	Rounding float64 // what floating point adds to the distance of two rows; 0 for a map that copies
}

// Columnwise returns the propagation of such a map; clean columns stay clean.
func Columnwise(st Stage, b Bounds, note string) (Propagation, error) {
	// The free row may differ in clean columns too: its image is bounded by the new domain alone.
	q, err := st.Before.Propagate(pair.StepBounds{K: b.K, KF: b.K, Jump: b.Rounding, R: b.R, ResetFree: true})
	return Propagation{
		Pair: q, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RolePublic,
		Constants: []Constant{
			{"K", b.K, FromConstruction, "Lipschitz constant of the row map on displaced columns"},
			{"R", b.R, FromSchema, "bound on a row's norm after the step"},
		},
		Note: note,
	}, err
}

// FitPublic is Fit for a step that is the same public row map at training and prediction time.
func FitPublic(d Deployer, st Stage) (Transform, error) {
	m, err := d.Deploy(st)
	if err != nil {
		return nil, err
	}
	t, _, err := m.Transform(len(st.In.Features()))
	return t, err
}

// PricedStep is a step at its place in a chain, with what it does there.
type PricedStep struct {
	Stage
	Propagation
	Step Preprocessor
}
