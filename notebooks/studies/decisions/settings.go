package decisions

// Settings of a run; [Full] are those of the stored results.
type Settings struct {
	Seed     uint64 `json:"seed"`     // of the first demonstration; the i-th has Seed + i
	Releases int    `json:"releases"` // of each way
	// Few are those of a way of a set of fewer than 1 000 training rows, which are quick and of which chance moves more.
	Few      int       `json:"releases_of_few_rows"`
	Delta    float64   `json:"delta"` // of every plan
	Epsilons []float64 `json:"epsilons"`
	// Demonstrations are those of each plan whose margins or errors are measured.
	Demonstrations int `json:"demonstrations"`
	// Rival are the ε at which others are compared with, RivalFits the fits of theirs with each regularisation.
	Rival     []float64 `json:"rival_epsilons"`
	RivalFits int       `json:"rival_fits"`
	// Sets are the names of those to run, and of the parts [PartMargins], [PartOthers] and [PartSplits]; none: all.
	Sets []string `json:"sets,omitempty"`
}

// Full are the settings of the stored results.
func Full() Settings {
	return Settings{Seed: 1, Releases: 20, Few: 60, Delta: 1e-6, Epsilons: []float64{0.3, 1, 3}, Demonstrations: 400, Rival: []float64{0.1, 0.5, 1, 3}, RivalFits: 9}
}

// Results are what a run measured.
type Results struct {
	Settings Settings `json:"settings"`
	Sets     []Set    `json:"sets"`
	// Coverage is of margins, Against of other mechanisms, Splits of small sets over many splits.
	Coverage []Coverage `json:"coverage,omitempty"`
	Against  []Against  `json:"against,omitempty"`
	Splits   []Splits   `json:"splits,omitempty"`
}

// Set is a data set with its chain and what was measured on it.
type Set struct {
	Name   string `json:"name"`
	File   string `json:"file,omitempty"`   // below DPNB_DATA; empty for simulated rows
	SHA256 string `json:"sha256,omitempty"` // of the file
	Task   string `json:"task"`             // Classes or Numbers
	Chain  string `json:"chain"`            // as an analyst would write it
	Train  int    `json:"train"`
	Test   int    `json:"test"`
	// Idle is what a model without features reaches on the test rows: the share of the more frequent class, or the
	// error 1 of the mean.
	Idle float64 `json:"idle"`
	// Exact is what the fit without noise reaches behind the steps of the chain that are public, those that have a
	// public way taken so, and without the others.
	Exact float64 `json:"exact"`
	Cases []Case  `json:"cases"`
}

// Tasks.
const (
	Classes = "classes" // scored by accuracy
	Numbers = "numbers" // scored by the mean squared error over the label's variance
)

// Case is a set at one ε.
type Case struct {
	Epsilon float64 `json:"epsilon"`
	Ways    []Way   `json:"ways"` // the first is the plan as written
	// Recommended is the place of the way that Compare recommends.
	Recommended int `json:"recommended"`
}

// Way is a plan.
type Way struct {
	Change string `json:"change"` // from the written plan
	Plan   string `json:"plan"`
	// Noise is that at the end in multiples of a chain's whose steps are free; 0 where the plan is refused.
	Noise float64 `json:"noise,omitempty"`
	// Predicted is the error by which Compare ranks it, on a reference population; nil where nothing is said.
	Predicted *float64 `json:"predicted,omitempty"`
	// Taken is how much accuracy noise is predicted to take from the fit without noise; nil where nothing is said.
	Taken *float64 `json:"taken,omitempty"`
	// Listed says that Compare does not recommend it whatever its price, as it changes the question or rests on what only the analyst
	// knows.
	Listed bool `json:"listed,omitempty"`
	// Median and the quartiles of the scores of its releases.
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Refused says why the plan has no price, or why its model reads no rows.
	Refused string `json:"refused,omitempty"`
}
