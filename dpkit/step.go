package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// A Preprocessor transforms every row, after fitting itself to the data without noise if it has
// to. Check and Propagate see public facts only; Fit is the only place that sees rows.
//
// A step is named by its String method, if it has one, else by its type. The name is part of a
// release's identity, by which the ledger replays: it must tell every parameter of the step.
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
	Before  accountant.Pair // on the rows that go in
	After   accountant.Pair // on the rows that come out; zero in Propagate, which computes it
	Taint   Taint           // of the columns that go in
}

// Taint names the columns in which a common row may differ between the two sides of the pair.
// The other columns are clean (stability calculus, §1).
type Taint map[string]bool

// with returns the taint and those columns.
func (t Taint) with(names ...string) Taint {
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
)

// Propagation is the public account of one step.
type Propagation struct {
	Pair      accountant.Pair
	Taint     Taint
	Scope     accountant.Scope
	Role      Role
	Constants []Constant
	Note      string // one sentence: why this costs what it costs
	Reference string // author, year, theorem
}

// Transform maps one row: it writes the image of src to dst. It may hold what Fit learnt, so it
// never leaves the session.
type Transform func(dst, src []float64)

// describe names a step with its parameters on one line, for errors, tables and identities.
func describe(p any) string {
	if s, ok := p.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", p)
}

// columnwise returns the propagation of a public map that treats every column on its own, so that
// clean columns stay clean: K is its Lipschitz constant on the tainted ones.
func columnwise(st Stage, k, r float64, note string) (Propagation, error) {
	// The free row may differ in clean columns too: its image is bounded by the new domain alone.
	q, err := st.Before.Propagate(accountant.StepBounds{K: k, KF: k, R: r, ResetFree: true})
	return Propagation{
		Pair: q, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RolePublic,
		Constants: []Constant{
			{"K", k, FromConstruction, "Lipschitz constant of the row map on displaced columns"},
			{"R", r, FromSchema, "bound on a row's norm after the step"},
		},
		Note: note,
	}, err
}

// fitPublic is Fit for a step that is the same public row map at training and prediction time.
func fitPublic(d Deployer, st Stage) (Transform, error) {
	m, err := d.Deploy(st)
	if err != nil {
		return nil, err
	}
	t, _, err := m.transform(len(st.In.Features()))
	return t, err
}
