package dpkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pdp"
)

// A fitted model is stored as one JSON object: its kind and the version of the format, the coefficients with the names of
// their columns, the public schema and row maps that raw rows are read by, the errors of the coefficients where their law
// is known, and where the model came from: its guarantee, or why it is not private. Nothing else is in a model. A
// function of [RegisterFunc] is stored by name and version.
//
// What a file says of its guarantee is as good as whoever wrote it: the ledger is the record of what was released.

const (
	linearKind      = "dpkit.LinearModel"
	logisticKind    = "dpkit.LogisticModel"
	classKind       = "dpkit.ClassModel"
	multinomialKind = "dpkit.MultinomialModel"
	rateKind        = "dpkit.RateModel"
	gradientKind    = "dpkit.GradientModel"
	unboundedKind   = "dpkit.UnboundedModel"
	reportedKind    = "dpkit.ReportedLogistic"
	localKind       = "dpkit.LocalModel"
	modelVersion    = 1
)

// modelHeader begins a stored model. The values in ledgers of before have none.
type modelHeader struct {
	Format  string `json:"format,omitempty"`
	Version int    `json:"version,omitempty"`
}

func (h *modelHeader) header() *modelHeader { return h }

// plainLinear is the model without its methods.
type plainLinear LinearModel

type linearFile struct {
	modelHeader
	plainLinear
}

// MarshalJSON writes the model with its kind, version and provenance, for UnmarshalJSON in another process.
func (m LinearModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(linearFile{modelHeader{linearKind, modelVersion}, plainLinear(m)})
}

// UnmarshalJSON reads what MarshalJSON writes. It checks everything that prediction rests on, and that the program knows
// every function of the row maps; errors wrap [ErrModelFile].
func (m *LinearModel) UnmarshalJSON(data []byte) error {
	var f linearFile
	if err := readModel(data, linearKind, &f); err != nil {
		return err
	}
	return takeModel(m, LinearModel(f.plainLinear), f.Version, (*LinearModel).check)
}

// plainLogistic is the model without its methods.
type plainLogistic LogisticModel

type logisticFile struct {
	modelHeader
	plainLogistic
}

// MarshalJSON is [LinearModel.MarshalJSON] of a logistic model.
func (m LogisticModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(logisticFile{modelHeader{logisticKind, modelVersion}, plainLogistic(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a logistic model.
func (m *LogisticModel) UnmarshalJSON(data []byte) error {
	var f logisticFile
	if err := readModel(data, logisticKind, &f); err != nil {
		return err
	}
	return takeModel(m, LogisticModel(f.plainLogistic), f.Version, (*LogisticModel).check)
}

// plainClass is the model without its methods.
type plainClass ClassModel

type classFile struct {
	modelHeader
	plainClass
}

// MarshalJSON is [LinearModel.MarshalJSON] of a linear classifier.
func (m ClassModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(classFile{modelHeader{classKind, modelVersion}, plainClass(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a linear classifier.
func (m *ClassModel) UnmarshalJSON(data []byte) error {
	var f classFile
	if err := readModel(data, classKind, &f); err != nil {
		return err
	}
	return takeModel(m, ClassModel(f.plainClass), f.Version, (*ClassModel).check)
}

// plainMultinomial is the model without its methods.
type plainMultinomial MultinomialModel

type multinomialFile struct {
	modelHeader
	plainMultinomial
}

// MarshalJSON is [LinearModel.MarshalJSON] of a classifier into several classes.
func (m MultinomialModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(multinomialFile{modelHeader{multinomialKind, modelVersion}, plainMultinomial(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a classifier into several classes.
func (m *MultinomialModel) UnmarshalJSON(data []byte) error {
	var f multinomialFile
	if err := readModel(data, multinomialKind, &f); err != nil {
		return err
	}
	return takeModel(m, MultinomialModel(f.plainMultinomial), f.Version, (*MultinomialModel).check)
}

// plainRate is the model without its methods.
type plainRate RateModel

type rateFile struct {
	modelHeader
	plainRate
}

// MarshalJSON is [LinearModel.MarshalJSON] of a Poisson model.
func (m RateModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(rateFile{modelHeader{rateKind, modelVersion}, plainRate(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a Poisson model.
func (m *RateModel) UnmarshalJSON(data []byte) error {
	var f rateFile
	if err := readModel(data, rateKind, &f); err != nil {
		return err
	}
	return takeModel(m, RateModel(f.plainRate), f.Version, (*RateModel).check)
}

// plainGradient is the model without its methods.
type plainGradient GradientModel

type gradientFile struct {
	modelHeader
	plainGradient
}

// MarshalJSON is [LinearModel.MarshalJSON] of a model by noisy gradients.
func (m GradientModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(gradientFile{modelHeader{gradientKind, modelVersion}, plainGradient(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model by noisy gradients.
func (m *GradientModel) UnmarshalJSON(data []byte) error {
	var f gradientFile
	if err := readModel(data, gradientKind, &f); err != nil {
		return err
	}
	return takeModel(m, GradientModel(f.plainGradient), f.Version, (*GradientModel).check)
}

// plainUnbounded is the model without its methods.
type plainUnbounded UnboundedModel

type unboundedFile struct {
	modelHeader
	plainUnbounded
}

// MarshalJSON is [LinearModel.MarshalJSON] of a model of columns without bounds.
func (m UnboundedModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(unboundedFile{modelHeader{unboundedKind, modelVersion}, plainUnbounded(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model of columns without bounds.
func (m *UnboundedModel) UnmarshalJSON(data []byte) error {
	var f unboundedFile
	if err := readModel(data, unboundedKind, &f); err != nil {
		return err
	}
	return takeModel(m, UnboundedModel(f.plainUnbounded), f.Version, (*UnboundedModel).check)
}

// localFile has the model as a part: its own methods would hide the answers.
type localFile struct {
	modelHeader
	Model   LinearModel `json:"model"`
	Facts   LocalFacts  `json:"facts"`
	Points  [][]float64 `json:"points"`
	Answers [][]float64 `json:"answers"`
}

// MarshalJSON is [LinearModel.MarshalJSON] of a model with what its node said.
func (m LocalModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(localFile{modelHeader{localKind, modelVersion}, m.LinearModel, m.Facts, m.Points, m.Answers})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model with what its node said.
func (m *LocalModel) UnmarshalJSON(data []byte) error {
	var f localFile
	if err := readModel(data, localKind, &f); err != nil {
		return err
	}
	return takeModel(m, LocalModel{f.Model, f.Facts, f.Points, f.Answers}, f.Version, func(m *LocalModel) error { return m.LinearModel.check() })
}

// reportedFile has the model as a part: its own methods would hide the report.
type reportedFile struct {
	modelHeader
	Model  LogisticModel `json:"model"`
	Report *pdp.Report   `json:"report"`
}

// MarshalJSON is [LinearModel.MarshalJSON] of a model with its report.
func (m ReportedLogistic) MarshalJSON() ([]byte, error) {
	return json.Marshal(reportedFile{modelHeader{reportedKind, modelVersion}, m.LogisticModel, &m.Report})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model with its report.
func (m *ReportedLogistic) UnmarshalJSON(data []byte) error {
	var f reportedFile
	if err := readModel(data, reportedKind, &f); err != nil {
		return err
	}
	if f.Report == nil {
		return fmt.Errorf("dpkit: model: got no report: %w", ErrModelFile)
	}
	return takeModel(m, ReportedLogistic{f.Model, *f.Report}, f.Version, (*ReportedLogistic).check)
}

// readModel reads a file of that kind.
func readModel(data []byte, kind string, file interface{ header() *modelHeader }) error {
	var found modelHeader
	if err := json.Unmarshal(data, &found); err != nil {
		return fmt.Errorf("dpkit: model: want a JSON object: %w: %w", err, ErrModelFile)
	}
	if found.Format == "" && kind != linearKind && kind != logisticKind { // those that ledgers hold from before
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
	if err := d.Decode(file); err != nil {
		return fmt.Errorf("dpkit: model: %w: %w", err, ErrModelFile)
	}
	return nil
}

// takeModel sets m to what was read, if it is sound. A value without a version, of a ledger from before, promises nothing: it
// has no provenance, and what prediction rests on is checked then.
func takeModel[M any](m *M, read M, version int, check func(*M) error) error {
	if o, ok := any(&read).(interface{ origin() *Provenance }); version == 0 && ok && *o.origin() != (Provenance{}) {
		return fmt.Errorf("dpkit: model: got a provenance without a version of the format: %w", ErrModelFile)
	}
	if version > 0 {
		if err := check(&read); err != nil {
			return fmt.Errorf("dpkit: model: %w: %w", err, ErrModelFile)
		}
	}
	*m = read
	return nil
}

func (m *LinearModel) check() error {
	if m.Label == "" || !(m.Lo < m.Hi) || math.IsInf(m.Hi-m.Lo, 1) {
		return fmt.Errorf("label %q in [%g, %g], want a name and finite lo < hi", m.Label, m.Lo, m.Hi)
	}
	if err := knownLinearMethod(m.Method); err != nil && !slices.Contains([]LinearMethod{
		huberMethod, localMethod(ClippedNoise), localMethod(RelativeNoise),
	}, m.Method) {
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
	if err := checkClasses(m.Label, m.Classes[:]); err != nil {
		return err
	}
	return m.Reader.check(m.Columns, m.Coef, &m.Provenance)
}

func (m *ReportedLogistic) check() error {
	if err := m.Report.Validate(); err != nil {
		return err
	}
	if got, want := len(m.Report.Theta), len(m.Coef)+1; got != want {
		return fmt.Errorf("got a report on %d coefficients for a model of %d with its intercept", got, want)
	}
	return m.LogisticModel.check()
}

func (m *ClassModel) check() error {
	if err := checkClasses(m.Label, m.Classes[:]); err != nil {
		return err
	}
	return m.Reader.check(m.Columns, m.Coef, &m.Provenance)
}

func (m *MultinomialModel) check() error {
	if err := checkClasses(m.Label, m.Classes); err != nil {
		return err
	}
	if len(m.Coef) != len(m.Classes) || len(m.Intercepts) != len(m.Classes) {
		return fmt.Errorf("got %d rows of coefficients and %d intercepts for %d classes", len(m.Coef), len(m.Intercepts), len(m.Classes))
	}
	for _, coef := range m.Coef {
		if err := m.Reader.check(m.Columns, coef, &m.Provenance); err != nil {
			return err
		}
	}
	return nil
}

func (m *RateModel) check() error {
	if m.Label == "" || !(m.MaxCount > 0) {
		return fmt.Errorf("label %q of at most %g, want a name and a count above 0", m.Label, m.MaxCount)
	}
	return m.Reader.check(m.Columns, m.Coef, &m.Provenance)
}

func (m *GradientModel) check() error {
	if m.Label == "" || len(m.Coef) == 0 || len(m.Intercept) != len(m.Coef) {
		return fmt.Errorf("label %q with %d rows of coefficients and %d intercepts, want a name and as many", m.Label, len(m.Coef), len(m.Intercept))
	}
	if rows := len(m.Classes); rows > 0 {
		if err := checkClasses(m.Label, m.Classes); err != nil {
			return err
		}
		if rows == 2 {
			rows = 1
		}
		if len(m.Coef) != rows {
			return fmt.Errorf("got %d rows of coefficients for %d classes", len(m.Coef), len(m.Classes))
		}
	}
	for _, coef := range m.Coef {
		if err := m.Reader.check(m.Columns, coef, &m.Provenance); err != nil {
			return err
		}
	}
	return nil
}

func (m *UnboundedModel) check() error {
	if m.Label == "" {
		return fmt.Errorf("got no name of the label")
	}
	for what, n := range map[string]int{"errors by noise": len(m.Privacy), "errors by sampling": len(m.Sampling)} {
		if n != 0 && n != len(m.Coef) {
			return fmt.Errorf("got %d %s for %d coefficients", n, what, len(m.Coef))
		}
	}
	return m.Reader.check(m.Columns, m.Coef, &m.Provenance)
}

func checkClasses(label string, classes []string) error {
	sorted := slices.Sorted(slices.Values(classes))
	if label == "" || len(sorted) < 2 || sorted[0] == "" || len(slices.Compact(sorted)) != len(classes) {
		return fmt.Errorf("label %q with classes %q, want a name and different classes", label, classes)
	}
	return nil
}

// check reports a model whose parts do not fit.
func (m *Reader) check(columns []string, coef []float64, p *Provenance) error {
	if len(columns) != len(coef) {
		return fmt.Errorf("got %d columns for %d coefficients", len(columns), len(coef))
	}
	if err := p.check(); err != nil {
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
