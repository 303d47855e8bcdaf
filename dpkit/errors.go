package dpkit

import (
	"errors"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Sentinels that callers branch on; every error of this package says more.
var (
	// ErrColumn is returned for a column that does not exist at that point of the chain, is of another kind than what is asked of it, or has a
	// name that is taken.
	ErrColumn = stage.ErrColumn
	// ErrBudget is returned by a release that does not fit what is left of the ledger: nothing was charged. It is ErrBudget of packages
	// accountant and accountant/ledger.
	ErrBudget = accountant.ErrBudget
	// ErrOrder is a privacy type error: the step has no finite bound at this place in the chain. ErrOrder of package accountant is another
	// error: a Rényi order that is none.
	ErrOrder = stage.ErrOrder
	// ErrModelFile is returned for a stored model that cannot be read: another kind or version, or damaged.
	ErrModelFile = models.ErrModelFile
	// ErrInitialiser is returned by an unnamed release that runs while variables are initialised.
	ErrInitialiser = errors.New("release called from an initialiser")
	// ErrParameter is returned for a parameter outside its range.
	ErrParameter = kind.ErrParameter
	// ErrRefused is returned by a model whose release said that its coefficients are not to be used.
	ErrRefused = models.ErrRefused
	// ErrTestFailed is returned by a release one of whose tests did not pass: nothing but that was
	// released, and the release is paid for. The same release replays its refusal; one that asks for
	// less (a smaller gap, a larger cap) is a new release.
	ErrTestFailed = query.ErrTestFailed
)
