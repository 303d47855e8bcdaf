package datasets

import (
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
)

// TecatorSchema is the domain of Tecator (spectra of meat recorded on a Tecator Infratec Food and
// Feed Analyzer; StatLib): 100 absorbances and the label fat, in per cent. An absorbance is −log₁₀
// of the transmittance: [0, 6] is a choice of ours (a millionth of the light), clamped. Ignored
// are moisture and protein, the other two measurements that the spectra shall predict, and the 22
// principal components: they were computed from all rows at once, so that one changed row would
// change every row.
func TecatorSchema() frames.Schema {
	var cols []frames.Column
	for i := 1; i <= 100; i++ {
		cols = append(cols, frames.Numeric(fmt.Sprint("absorbance_", i), 0, 6).Clamped())
	}
	for i := 1; i <= 22; i++ {
		cols = append(cols, frames.Ignored(fmt.Sprint("principal_component_", i)))
	}
	return schema(append(cols, frames.Ignored("moisture"), frames.NumericLabel("fat", 0, 100), frames.Ignored("protein"))...)
}

// Tecator returns the 240 samples of Tecator. Publications of results are asked to mention the
// instrument and the company Tecator.
func Tecator() (*frames.Frame, string, error) {
	return load("Tecator", csv(TecatorSchema(), frames.CSVOptions{Header: true}), "tecator/tecator.csv")
}
