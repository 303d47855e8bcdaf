package linear

import "math"

// Settings of a run; [Full] are those of the stored results.
type Settings struct {
	Seed     uint64 `json:"seed"`     // of the first release; the i-th has Seed + i
	Releases int    `json:"releases"` // for each linear set, method and ε
	// LogisticReleases are those of each two-class set, method and ε; Large is their number on the two large ones, where
	// a release takes up to half a second.
	LogisticReleases int `json:"logistic_releases"`
	Large            int `json:"large"`
	// Epsilons of linear and of logistic regression.
	Linear   []float64 `json:"linear_epsilons"`
	Logistic []float64 `json:"logistic_epsilons"`
	// Sets are the names of those to run; none: all.
	Sets []string `json:"sets,omitempty"`
}

// Full are the settings of the stored results.
func Full() Settings {
	s := Settings{Seed: 1, Releases: 250, LogisticReleases: 250, Large: 250, Logistic: []float64{0.1, 0.3, 1, 3}}
	for i := range 6 { // the grid of the paper's code
		s.Linear = append(s.Linear, math.Pow(10, -1.2+2.7*float64(i)/5))
	}
	return s
}

// Methods. Those of dpkit are ours; Printed ones are the paper's.
const (
	NotPrivate      = "not private"
	Best            = "best (default)"
	Mixing          = "LinearMixing, k = 8(d+1)"
	MixingPaperRows = "LinearMixing, k = 2.5d"
	AdaSSP          = "AdaSSP, exact"
	OutputNoise     = "output perturbation"
	PrintedMixing   = "LinearMixing, as printed"
	PrintedAdaSSP   = "AdaSSP, as printed"

	ObjectiveAlone = "objective perturbation"
	Descent        = "gradient descent"
	LogisticMixing = "Chebyshev and GaussMix"
	PrintedKifer   = "objective perturbation, Kifer's constants"
)

// Results are what a run measured.
type Results struct {
	Settings Settings `json:"settings"`
	Sets     []Set    `json:"sets"`
}

// Set is a data set with what was measured on it.
type Set struct {
	Name    string  `json:"name"`
	File    string  `json:"file"` // below DPNB_DATA
	SHA256  string  `json:"sha256"`
	Task    string  `json:"task"` // linear: test error; logistic: test accuracy
	Train   int     `json:"train"`
	Test    int     `json:"test"`
	Columns int     `json:"columns"` // of an encoded row
	Delta   float64 `json:"delta"`
	// Spread is the mean squared distance of the test labels from the training labels' mean (linear), or the share of
	// the more frequent class (logistic): what a model without features reaches.
	Spread float64 `json:"spread"`
	Cells  []Cell  `json:"cells"`
	// Refused are the plans that dpkit refuses: at ε = 31.6 a sampler's distance from the normal law, times e^ε, does not
	// fit into δ.
	Refused []Refusal `json:"refused,omitempty"`
}

// Refusal is a plan that has no price.
type Refusal struct {
	Method  string  `json:"method"`
	Epsilon float64 `json:"epsilon"`
}

// Cell is one method at one ε (0 for the one that is not private): the mean over releases of the test error in the label's
// units squared, or of the test accuracy.
type Cell struct {
	Method   string  `json:"method"`
	Chosen   string  `json:"chosen,omitempty"` // by Best
	Epsilon  float64 `json:"epsilon,omitempty"`
	Releases int     `json:"releases"`
	Mean     float64 `json:"mean"`
	SE       float64 `json:"se,omitempty"` // standard error of Mean
}

// Interval is the 95 % confidence interval of the mean, by the normal law.
func (c Cell) Interval() (lo, hi float64) { return c.Mean - normal95*c.SE, c.Mean + normal95*c.SE }

const normal95 = 1.959963984540054

// Find returns the cell of a method at an ε.
func (s Set) Find(method string, epsilon float64) (Cell, bool) {
	for _, c := range s.Cells {
		if c.Method == method && math.Abs(c.Epsilon-epsilon) <= 1e-9*epsilon {
			return c, true
		}
	}
	return Cell{}, false
}

// summarise makes a cell of measurements.
func summarise(method string, epsilon float64, values []float64) Cell {
	n := float64(len(values))
	c := Cell{Method: method, Epsilon: epsilon, Releases: len(values)}
	for _, v := range values {
		c.Mean += v / n
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - c.Mean) * (v - c.Mean)
	}
	if n > 1 {
		c.SE = math.Sqrt(squares / (n - 1) / n)
	}
	return c
}
