package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Provenance is where a model came from, as its release noted: it goes with the model into a file. The zero Provenance, of a
// model that no release made, promises nothing.
//
// Its fields:
//
//	Release string // the mechanism and its parameters
//	// Guarantee is that of the release, every step before it included; nil for a value that is not private.
//	Guarantee *accountant.Guarantee
//	// NotPrivate is empty for a private release; otherwise it says why the value is not private.
//	NotPrivate string
//	// Unit is what the guarantee hides one of, such as "row"; "" without a guarantee.
//	Unit string
//	// Dataset and Entry find the release in its ledger: the name that the ledger has for the data, and the entry's ID.
//	Dataset string
//	Entry   string
//	// Charged is when the ledger was charged; a replay keeps the time of the first charge.
//	Charged time.Time
//	// Part names the people whose rows were read, where not all were: a side of a split.
//	Part string
//	// Counted says in words what the numbers are of, where steps dropped rows, made rows of others or changed values: the exact number that
//	// an interval holds is the number of these. "" where it is of all rows, as they are.
//	Counted string
//	// Predicted is the error that public facts predicted of a model before its release, and PredictedOf what is off, as Plan.Error has
//	// them; "" where nothing was predicted.
//	Predicted   float64
//	PredictedOf string
//
// Its methods:
//
//	Promise() string
//		Promise is the guarantee in one line, with the unit of privacy, or why there is none.
//	Sound() error
//		Sound reports a provenance that promises what cannot be, as only a damaged file does.
//	Weak() bool
//		Weak reports a promise that must stand out wherever it is shown: the value is not private, no release made it, its
//		guarantee is incomplete or has an infinite ε, or holds only between datasets that satisfy a condition.
//	WhatCounts() string
//		WhatCounts says in one line what the numbers are of; "" where they are of all rows, as they are.
type Provenance = origin.Provenance
