package dpkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// A fitted model is stored as one JSON object: its kind and the version of the format, the coefficients with the names of
// their columns, the public schema and row maps that raw rows are read by, the errors of the coefficients where their law
// is known, and where the model came from: its guarantee, or why it is not private. Nothing else is in a model. A
// function of [RegisterFunc] is stored by name and version.
//
// What a file says of its guarantee is as good as whoever wrote it: the ledger is the record of what was released.

const (
	linearKind   = "dpkit.LinearModel"
	logisticKind = "dpkit.LogisticModel"
	modelVersion = 1
)

// modelHeader begins a stored model. The values in ledgers of before have none.
type modelHeader struct {
	Format  string `json:"format,omitempty"`
	Version int    `json:"version,omitempty"`
}

// plainLinear and plainLogistic are the models without their methods.
type (
	plainLinear   LinearModel
	plainLogistic LogisticModel
)

type linearFile struct {
	modelHeader
	plainLinear
}

type logisticFile struct {
	modelHeader
	plainLogistic
}

// MarshalJSON writes the model with its kind, version and provenance, for UnmarshalJSON in another process.
func (m LinearModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(linearFile{modelHeader{linearKind, modelVersion}, plainLinear(m)})
}

// UnmarshalJSON reads what MarshalJSON writes. It checks everything that prediction rests on, and that the program knows
// every function of the row maps; errors wrap [ErrModelFile].
func (m *LinearModel) UnmarshalJSON(data []byte) error {
	var f linearFile
	if err := readModel(data, &f, &f.modelHeader, linearKind); err != nil {
		return err
	}
	read := LinearModel(f.plainLinear)
	if f.Version > 0 {
		if err := read.check(); err != nil {
			return fmt.Errorf("dpkit: model: %w: %w", err, ErrModelFile)
		}
	}
	*m = read
	return nil
}

// MarshalJSON is [LinearModel.MarshalJSON] of a logistic model.
func (m LogisticModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(logisticFile{modelHeader{logisticKind, modelVersion}, plainLogistic(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a logistic model.
func (m *LogisticModel) UnmarshalJSON(data []byte) error {
	var f logisticFile
	if err := readModel(data, &f, &f.modelHeader, logisticKind); err != nil {
		return err
	}
	read := LogisticModel(f.plainLogistic)
	if f.Version > 0 {
		if err := read.check(); err != nil {
			return fmt.Errorf("dpkit: model: %w: %w", err, ErrModelFile)
		}
	}
	*m = read
	return nil
}

// readModel reads a file whose header h lies in it.
func readModel(data []byte, file any, h *modelHeader, kind string) error {
	var found modelHeader
	if err := json.Unmarshal(data, &found); err != nil {
		return fmt.Errorf("dpkit: model: want a JSON object: %w: %w", err, ErrModelFile)
	}
	if (found.Format == "") != (found.Version == 0) || found.Format != "" && found.Format != kind {
		return fmt.Errorf("dpkit: model: got format %q version %d, want %q: %w", found.Format, found.Version, kind, ErrModelFile)
	}
	if found.Version < 0 || found.Version > modelVersion {
		return fmt.Errorf("dpkit: model: got version %d of the format, want at most %d: read it with a newer version of this library: %w", found.Version, modelVersion, ErrModelFile)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(file); err != nil {
		return fmt.Errorf("dpkit: model: %w: %w", err, ErrModelFile)
	}
	if *h != found {
		return fmt.Errorf("dpkit: model: the format and version are given twice: %w", ErrModelFile)
	}
	return nil
}

func (m *LinearModel) check() error {
	if m.Label == "" || !(m.Lo < m.Hi) || math.IsInf(m.Hi-m.Lo, 1) {
		return fmt.Errorf("label %q in [%g, %g], want a name and finite lo < hi", m.Label, m.Lo, m.Hi)
	}
	if err := knownLinearMethod(m.Method); err != nil {
		return err
	}
	if n := len(m.Errors); n != 0 && n != len(m.Coef) {
		return fmt.Errorf("got %d errors for %d coefficients", n, len(m.Coef))
	}
	for j, v := range m.Errors {
		if !(v >= 0) {
			return fmt.Errorf("error %d: got %g, want at least 0", j+1, v)
		}
	}
	if !(m.InterceptError >= 0) || m.Freedom < 0 {
		return fmt.Errorf("got error %g of the intercept and %d degrees of freedom, want at least 0", m.InterceptError, m.Freedom)
	}
	return m.Reader.check(m.Columns, m.Coef, &m.Provenance)
}

func (m *LogisticModel) check() error {
	if m.Label == "" || m.Classes[0] == "" || m.Classes[1] == "" || m.Classes[0] == m.Classes[1] {
		return fmt.Errorf("label %q with classes %q, want a name and two classes", m.Label, m.Classes)
	}
	return m.Reader.check(m.Columns, m.Coef, &m.Provenance)
}

// check reports a model whose parts do not fit.
func (m *Reader) check(columns []string, coef []float64, o *Provenance) error {
	if len(columns) != len(coef) {
		return fmt.Errorf("got %d columns for %d coefficients", len(columns), len(coef))
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("provenance: %w", err)
	}
	if m.Schema.Len() == 0 {
		if len(m.Maps) > 0 {
			return fmt.Errorf("it has row maps and no schema of the rows that they read")
		}
		return nil // released without prediction
	}
	_, err := m.reader(m.Schema, len(coef))
	return err
}
