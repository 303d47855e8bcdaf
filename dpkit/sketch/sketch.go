package sketch

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Sketch holds the inner products of a Gaussian mixture: those of k draws of N(0, ZᵀZ + σ²I) for the rows z of n rows' features and
// label. Of them Inner/k − σ²I is an unbiased estimate of ZᵀZ (docs/theory/mechanisms.md#regression-on-a-sketch).
type Sketch struct {
	Columns []string  `json:"columns"` // features, then the constant column where there is one, then the label
	Inner   []float64 `json:"inner"`   // row-major and symmetric, one row for each column
	Rows    int       `json:"rows"`    // k
	// Sigma is σ, the noise on each cell of the sketch. 0: Inner is ZᵀZ itself, of rows that are public.
	Sigma float64 `json:"sigma"`
	// The label column holds (y − LabelMid)/LabelUnit.
	LabelMid  float64 `json:"label_mid"`
	LabelUnit float64 `json:"label_unit"`
	// Constant is what the column [ConstantColumn] holds in every row: public. 0: there is none.
	Constant float64 `json:"constant,omitempty"`
	origin.Provenance

	cover        float64 // noise on each entry of Inner that covers rounding, far below that of the sketch
	sigmaIsBound bool    // the noise may have been less than Sigma: of a sketch from before sketches told what they drew
}

// ConstantColumn names the column that is the same in all rows, of a sketch with an intercept.
const ConstantColumn = "(constant)"

// features are all columns but the constant one and the label.
func (s *Sketch) features() []string {
	n := len(s.Columns) - 1
	if s.Constant > 0 {
		n--
	}
	return s.Columns[:n]
}

// Covered is the sketch with noise of that standard deviation on each entry of Inner, which covers rounding. Intervals count it.
func (s Sketch) Covered(sd float64) Sketch {
	s.cover = sd
	return s
}

// String tells the sketch's shape.
func (s Sketch) String() string {
	return origin.Under(s.Provenance, fmt.Sprintf("Gaussian mixture of %d rows on %d columns", s.Rows, len(s.Columns)))
}

type (
	plain Sketch // without its methods
	file  struct {
		models.Header
		plain
		Cover        float64 `json:"cover,omitempty"`
		SigmaIsBound bool    `json:"sigma_is_bound,omitempty"`
	}
)

// MarshalJSON writes the sketch with its kind, version and provenance, for UnmarshalJSON in another process.
func (s Sketch) MarshalJSON() ([]byte, error) {
	return json.Marshal(file{models.HeaderOf(models.SketchKind), plain(s), s.cover, s.sigmaIsBound})
}

// UnmarshalJSON reads what MarshalJSON writes, and sketches of ledgers from before, whose noise may have been less than they say. It
// checks everything that Regress and Components rest on. Errors wrap [models.ErrModelFile].
func (s *Sketch) UnmarshalJSON(data []byte) error {
	return models.Read(data, models.SketchKind, s, func(f file) Sketch {
		read := Sketch(f.plain)
		read.cover, read.sigmaIsBound = f.Cover, f.SigmaIsBound || f.Version == 0 && read.Sigma > 0
		return read
	})
}

// Check reports a sketch whose parts do not fit together, as a damaged file has them: names that are not different, a matrix of another
// size, that is not symmetric or not finite, or numbers beside it that no release gives.
func (s *Sketch) Check() error {
	m := len(s.Columns)
	if m == 0 {
		return fmt.Errorf("got a sketch without columns, want one that GaussMix released")
	}
	seen := map[string]bool{}
	for _, name := range s.Columns {
		if name == "" || seen[name] {
			return fmt.Errorf("columns: got %q, want different names", s.Columns)
		}
		seen[name] = true
	}
	if len(s.Inner)%m != 0 || len(s.Inner)/m != m {
		return fmt.Errorf("inner products: got %d numbers for %d columns, want %d for each", len(s.Inner), m, m)
	}
	for i := range m {
		for j := range m {
			if v := s.Inner[i*m+j]; v-v != 0 || v != s.Inner[j*m+i] {
				return fmt.Errorf("inner products: got a number that is not finite, or not that of its columns the other way round, at row %d, column %d", i+1, j+1)
			}
		}
	}
	if s.Rows < 1 {
		return fmt.Errorf("rows: got %d, want at least 1", s.Rows)
	}
	for _, c := range []struct {
		name string
		v    float64
	}{{"sigma", s.Sigma}, {"cover", s.cover}} {
		if !(c.v >= 0) || math.IsInf(c.v, 1) {
			return fmt.Errorf("%s: got %g, want a finite number, at least 0", c.name, c.v)
		}
	}
	if !(s.LabelUnit > 0) || math.IsInf(s.LabelUnit, 1) || s.LabelMid-s.LabelMid != 0 {
		return fmt.Errorf("label: got (y − %g)/%g, want finite numbers and a unit above 0", s.LabelMid, s.LabelUnit)
	}
	if !(s.Constant >= 0) || math.IsInf(s.Constant, 1) || s.Constant > 0 && (m < 2 || s.Columns[m-2] != ConstantColumn) {
		return fmt.Errorf("constant: got %g and columns %q, want 0, or a finite number above it and %q before the label", s.Constant, s.Columns, ConstantColumn)
	}
	if err := s.Sound(); err != nil {
		return fmt.Errorf("provenance: %w", err)
	}
	return nil
}
