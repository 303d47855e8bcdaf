package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// A Preprocessor transforms every row, after fitting itself to the data without noise if it has
// to. Check and Propagate see public facts only; Fit is the only place that sees rows.
//
// The guarantee of a chain is no better than the propagation that its steps report, and is conditional on that of every
// step which is not of this package: Propagate must hold for every pair of datasets of the domain, and what Fit returns must keep to the schema of
// Check and the norm bound R. Errors and panics of Fit must not depend on rows. A step is a struct of exported parameters
// that [Register] was told of: a private release is told apart by them and by the registered name and law, not by the
// step's code. Package stagetest attacks what Propagate states.
type Preprocessor = stage.Preprocessor

// A Deployer is a [Preprocessor] that has an equivalent or a stand-in made of public facts, for
// rows that arrive at prediction time.
type Deployer = stage.Deployer

// Stage is the public context of a step in its chain.
type Stage = stage.Stage

// Taint names the columns in which a common row may differ between the two sides of the pair.
// The other columns are clean (docs/theory/calculus.md#the-pair-state). It is never empty while rows are displaced.
type Taint = stage.Taint

// Role says what a step needs at prediction time (release rule).
type Role = stage.Role

const (
	// RolePublic marks a step that is a public row map, at training and prediction time alike.
	RolePublic = stage.RolePublic
	// RoleTrainOnly marks a step whose fit stays inside the pipeline; prediction uses its public stand-in.
	RoleTrainOnly = stage.RoleTrainOnly
	// RolePrivate marks a step whose fit is a private release of its own: prediction uses it too.
	RolePrivate = stage.RolePrivate
	// RoleDeploy marks a step that prediction needs and whose fit is not private: a model that reads
	// rows cannot be released behind it.
	RoleDeploy = stage.RoleDeploy
)

// Propagation is the public account of one step.
type Propagation = stage.Propagation

// Transform maps one row: it writes the image of src, which it must not change, to dst. The image
// depends on the row alone: where a table is not held in memory, the map is applied anew by whoever
// reads it. A step of this package may be asked for several rows at a time; one of the caller's own
// is called for one row after the other, in any order. It may hold what Fit learnt, so it never
// leaves the session.
type Transform = stage.Transform
