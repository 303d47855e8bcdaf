package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// A fitted model is stored as one JSON object: its kind and the version of the format, the coefficients with the names of
// their columns, the public schema and row maps that raw rows are read by, the errors of the coefficients where their law
// is known, and where the model came from: its guarantee, or why it is not private. Nothing else is in a model. A
// function of [stage.RegisterFunc] is stored by name and version.
//
// What a file says of its guarantee is as good as whoever wrote it: the ledger is the record of what was released.

// Kinds of models, as stored ones name them. They outlive every renaming of Go's types.
const (
	LinearKind      = "dpkit.LinearModel"
	LogisticKind    = "dpkit.LogisticModel"
	classKind       = "dpkit.ClassModel"
	multinomialKind = "dpkit.MultinomialModel"
	rateKind        = "dpkit.RateModel"
	gradientKind    = "dpkit.GradientModel"
	unboundedKind   = "dpkit.UnboundedModel"
	reportedKind    = "dpkit.ReportedLogistic"
	localKind       = "dpkit.LocalModel"
	SketchKind      = "dpkit.Sketch"
	TableKind       = "dpkit.Table"
	SeriesKind      = "dpkit.Series"
	CorrelationKind = "dpkit.CorrelationMatrix"
	modelVersion    = 1
)

// modelHeader begins a stored model. The values in ledgers of before have none.
type modelHeader struct {
	Format  string `json:"format,omitempty"`
	Version int    `json:"version,omitempty"`
}

// Header begins a stored value of another room.
type Header = modelHeader

// HeaderOf is the header of values of that kind, as they are written now.
func HeaderOf(kind string) Header { return Header{kind, modelVersion} }

// Read is how a value of another room is read: as a model of that kind, which is checked. value takes it out of the file that it is
// decoded as. Errors wrap [ErrModelFile].
func Read[M, F any, P storedModel[M]](data []byte, kind string, into P, value func(F) M) error {
	return readModel(data, kind, into, value)
}

// storedModel is a model that can be read: it says whether it is sound, and where it came from.
type storedModel[M any] interface {
	*M
	// Check reports a model whose parts do not fit together, or whose provenance promises what cannot be.
	Check() error
	origin.Carrier
}

// readModel reads into a model of that kind what data hold, if it is sound; model takes it out of the file that they are
// decoded as. A value without a version, of a ledger from before, promises nothing: it has no provenance, and what prediction
// rests on is checked then.
func readModel[M, F any, P storedModel[M]](data []byte, kind string, into P, model func(F) M) error {
	var found modelHeader
	if err := json.Unmarshal(data, &found); err != nil {
		return fmt.Errorf("dpkit: model: want a JSON object: %w: %w", err, ErrModelFile)
	}
	if found.Format == "" && kind != LinearKind && kind != LogisticKind && kind != SketchKind { // those that ledgers hold from before
		return fmt.Errorf("dpkit: model: got no format, want %q: %w", kind, ErrModelFile)
	}
	if (found.Format == "") != (found.Version == 0) || found.Format != "" && found.Format != kind {
		return fmt.Errorf("dpkit: model: got format %q version %d, want %q: %w", found.Format, found.Version, kind, ErrModelFile)
	}
	if found.Version < 0 || found.Version > modelVersion {
		return fmt.Errorf("dpkit: model: got version %d of the format, want at most %d: read it with a newer version of this library: %w", found.Version, modelVersion, ErrModelFile)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var file F
	if err := d.Decode(&file); err != nil {
		return fmt.Errorf("dpkit: model: %w: %w", err, ErrModelFile)
	}
	read := model(file)
	if found.Version == 0 && *origin.Of(P(&read)) != (origin.Provenance{}) {
		return fmt.Errorf("dpkit: model: got a provenance without a version of the format: %w", ErrModelFile)
	}
	if found.Version > 0 {
		if err := P(&read).Check(); err != nil {
			return fmt.Errorf("dpkit: model: %w: %w", err, ErrModelFile)
		}
	}
	*into = read
	return nil
}

func checkClasses(label string, classes []string) error {
	sorted := slices.Sorted(slices.Values(classes))
	if label == "" || len(sorted) < 2 || sorted[0] == "" || len(slices.Compact(sorted)) != len(classes) {
		return fmt.Errorf("label %q with classes %q, want a name and different classes", label, classes)
	}
	return nil
}
