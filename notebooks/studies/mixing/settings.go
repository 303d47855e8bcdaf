package mixing

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Settings of a run; [Full] are those of the stored results.
type Settings struct {
	Seed     uint64 `json:"seed"`     // of the first release, the i-th has Seed + i, and of the simulated sets
	Releases int    `json:"releases"` // for each set, method and ε; the paper has 250
	Large    int    `json:"large"`    // the same on the simulated sets of 512 columns
	Slow     int    `json:"slow"`     // the same there for AdaSSP of dpkit, where a release takes two seconds
	// Epsilons of linear and of logistic regression.
	Linear   []float64 `json:"linear_epsilons"`
	Logistic []float64 `json:"logistic_epsilons"`
	// Rows and Columns of the simulated sets.
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
	// Sets are the names of those to run; none: all.
	Sets []string `json:"sets,omitempty"`
}

// Full are the settings of the stored results: grids, δ and k = 2.5d are those of the paper's published code, as its text names none.
func Full() Settings {
	s := Settings{Seed: 1, Releases: 250, Large: 30, Slow: 6, Rows: 8192, Columns: 512}
	for i := range 5 {
		s.Linear = append(s.Linear, math.Pow(10, -1+0.5*float64(i)))
		s.Logistic = append(s.Logistic, math.Pow(10, -1+0.5*float64(i)))
	}
	return s
}

// Delta is that of the paper's code.
func Delta(rows int) float64 { return min(1e-6, 0.01/float64(rows)) }

// Methods: the paper's four, then those of dpkit.
const (
	NotPrivate    = "not private"
	PrintedMixing = "LinearMixing, as printed"
	PrintedAdaSSP = "AdaSSP, as printed"           // ρ = 1e-4 of the paper's code
	WangAdaSSP    = "AdaSSP, as printed, ρ = 0.05" // Wang's ρ
	PrintedTest   = "Sheffet, as printed"
	LemmaTest     = "Sheffet by Lemma 1, as printed"

	ExactMixing = "LinearMixing, exact, k = 2.5d"
	MoreRows    = "LinearMixing, exact, k = 8(d+1)"
	ExactAdaSSP = "AdaSSP, exact"

	PrintedLogistic = "logistic mixing, as printed"
	ExactLogistic   = "logistic mixing, exact"
	Kifer           = "objective perturbation, as printed"
	Objective       = "objective perturbation, exact"
)

// Results are what a run measured.
type Results struct {
	Settings Settings `json:"settings"`
	Sets     []Set    `json:"sets"`
}

// Set is a data set with what was measured on it.
type Set struct {
	Name     string  `json:"name"`
	Figure   int     `json:"figure"`         // of the paper
	File     string  `json:"file,omitempty"` // below DPNB_DATA; none: simulated
	SHA256   string  `json:"sha256,omitempty"`
	Train    int     `json:"train"`
	Test     int     `json:"test"`
	Columns  int     `json:"columns"`
	Rank     int     `json:"rank"` // of the sketch: k of the printed algorithms
	Delta    float64 `json:"delta"`
	Smallest float64 `json:"smallest"` // eigenvalue of (X, y)ᵀ(X, y)
	// Spread is the mean squared label of the test rows: the error of θ = 0.
	Spread float64 `json:"spread"`
	Cells  []Cell  `json:"cells"`
}

// Cell is one method at one ε (0 for the one that is not private): the mean over releases of the test error, or of the test
// accuracy.
type Cell struct {
	Method   string  `json:"method"`
	Epsilon  float64 `json:"epsilon,omitempty"`
	Releases int     `json:"releases"`
	Mean     float64 `json:"mean"`
	SE       float64 `json:"se,omitempty"` // standard error of Mean
	// Clamped is the mean error of predictions that are clamped to the label's bounds [−1, 1], which the paper's are not.
	Clamped float64 `json:"clamped,omitempty"`
}

// Interval is the 95 % confidence interval of the mean, by Student's law.
func (c Cell) Interval() (lo, hi float64) { return c.Mean - c.half(), c.Mean + c.half() }

func (c Cell) half() float64 {
	if c.Releases < 2 {
		return 0
	}
	return c.SE * distuv.StudentsT{Sigma: 1, Nu: float64(c.Releases - 1)}.Quantile(0.975)
}

// Find returns the cell of a method at an ε.
func (s Set) Find(method string, epsilon float64) (Cell, bool) {
	for _, c := range s.Cells {
		if c.Method == method && math.Abs(c.Epsilon-epsilon) <= 1e-9*epsilon {
			return c, true
		}
	}
	return Cell{}, false
}

// Set returns the set of a name.
func (r Results) Set(name string) (Set, bool) {
	for _, s := range r.Sets {
		if s.Name == name {
			return s, true
		}
	}
	return Set{}, false
}

// Ratio is the mean of one method over that of another, and whether the 95 % interval of their difference leaves 0 out
// (half-widths of both means added as independent errors).
func (s Set) Ratio(a, b string, epsilon float64) (ratio float64, clear, ok bool) {
	x, found := s.Find(a, epsilon)
	y, there := s.Find(b, epsilon)
	return x.Mean / y.Mean, math.Abs(x.Mean-y.Mean) > math.Hypot(x.half(), y.half()), found && there
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
