package stage

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
)

// Propagation is the public account of one step.
type Propagation struct {
	// Pair is what Before becomes: Before.Propagate of the step's bounds ([pair.StepBounds]).
	Pair pair.State
	// Taint names the columns behind the step in which a common row may differ; those that were tainted stay so by themselves.
	Taint Taint
	// Scope says whether the bounds hold for every pair of datasets of the domain. A session makes it conditional for a step of another
	// module, whose bounds it believes.
	Scope accountant.Scope
	Role  Role
	// Constants are the numbers that the bounds rest on, all of them public.
	Constants []Constant
	// Empties says that the step may remove rows: those behind it see Stage.Empty and Stage.Unordered.
	Empties bool
	// InPlace says of a step that removes rows that the others keep their places on both sides: those behind it are not Stage.Unordered.
	InPlace bool
	// Collapses says that the step makes one row of all rows of a person: rows behind it are not Stage.People. Only a step of dpkit can.
	Collapses bool
	// Places says of a step that it keeps the rows of some places, which are public and the same on both sides: how many; 0: all of them. Only
	// a step of dpkit can.
	Places int
	// Bounds says of a step that it leaves so many rows of a person, by a map of that person's rows alone: rows behind it are not
	// Stage.People. Only a step of dpkit can.
	Bounds    Contributions
	Note      string // one sentence: why this costs what it costs
	Reference string // author, year, theorem
}

// Role says what a step needs at prediction time (release rule).
type Role string

const (
	// RolePublic marks a step that is a public row map, at training and prediction time alike.
	RolePublic Role = "public"
	// RoleNonPrivate marks a step that is fitted to private rows without noise, and whose fit stays inside the chain:
	// prediction uses its public stand-in.
	RoleNonPrivate Role = "non-private"
	// RolePrivate marks a step whose fit is a private release of its own: prediction uses it too.
	RolePrivate Role = "private"
	// RoleDeployed marks a step of which prediction needs that fit: a model that reads
	// rows cannot be released behind it.
	RoleDeployed Role = "non-private, deployed"
)
