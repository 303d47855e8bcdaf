package ledger

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// Statement is the privacy statement of a ledger: what was released, what each release was sold as, what
// all of them cost together and which theorems say so. It holds no released value, no key, no fingerprint
// and no ID of a release. Its JSON is stable within a Version: fields may be added, and none changes its
// name, its meaning or its unit.
type Statement struct {
	Format  string `json:"format"`  // "dpnb-privacy-statement"
	Version int    `json:"version"` // 1
	// Ledger is the ID of the ledger. Records and Head, the number and the SHA-256 of its last line, pin
	// what the statement is about.
	Ledger  string `json:"ledger"`
	Records int    `json:"records"`
	Head    string `json:"head"`

	Dataset    string                `json:"dataset"`
	Neighbours accountant.Neighbours `json:"neighbours"`
	Unit       Unit                  `json:"unit"`                // what two neighbouring datasets differ in
	Rehearsal  bool                  `json:"rehearsal,omitempty"` // the rows need no protection: see [Config]
	Created    time.Time             `json:"created"`
	Expires    time.Time             `json:"expires,omitzero"`
	// Project is the ID of the ledger that is charged as well.
	Project string `json:"project,omitempty"`

	// Budget is what all releases together satisfy, however each was chosen from earlier results, if the
	// ledger holds (see Total.Holds).
	Budget accountant.Budget `json:"budget"`
	// Reserve is the part of the budget's δ for releases that may fail.
	Reserve float64 `json:"reserve"`
	// Pure is the part of the budget's ε for releases of pure DP.
	Pure     float64            `json:"pure,omitempty"`
	Total    Total              `json:"total"`
	Releases []ReleaseStatement `json:"releases"`
	// Theorems are what the total rests on.
	Theorems []string `json:"theorems"`
	// Warnings are those of Status.
	Warnings []string `json:"warnings,omitempty"`
}

// Total is what all releases cost together.
type Total struct {
	Releases int `json:"releases"` // charges, whether or not a value came of them
	// Epsilon and Delta: all releases together, rounded up.
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
	// Mu is √Σμ², rounded up, and Limit the μ of the budget, rounded down; TotalVariation and Failure are
	// the sums of those of the releases, rounded up.
	Mu             float64 `json:"mu"`
	Limit          float64 `json:"mu_limit"`
	TotalVariation float64 `json:"total_variation"`
	Failure        float64 `json:"failure"`
	Pure           float64 `json:"pure,omitempty"` // Σε of what was charged to the part for pure releases, rounded up
	// Holds says that the sums are within the budget.
	Holds bool             `json:"holds"`
	Scope accountant.Scope `json:"scope"` // the weakest of the releases
}

// ReleaseStatement is one charge.
type ReleaseStatement struct {
	Record    int       `json:"record"` // number of the charge's line, from 1
	Time      time.Time `json:"time"`
	Name      string    `json:"name,omitempty"`
	State     string    `json:"state"` // stored, failed, interrupted, running, or in the dataset's ledger
	Fresh     bool      `json:"fresh,omitempty"`
	Mechanism string    `json:"mechanism,omitempty"`
	Event     string    `json:"event"` // with its parameters, in words
	// Parameters is the event as accountant.Marshal stores it; absent for events that it does not store.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Guarantee is what the release was sold as.
	Guarantee accountant.Guarantee `json:"guarantee"`
	// What was charged: μ-GDP up to a total variation, outside a failure of that probability.
	Mu             float64 `json:"mu"`
	TotalVariation float64 `json:"total_variation"`
	Failure        float64 `json:"failure,omitempty"`
	Pure           float64 `json:"pure,omitempty"`      // ε of a release that the part for pure ones takes; Mu is 0 then
	Reference      string  `json:"reference,omitempty"` // paper and theorem of its price
	DataVersion    string  `json:"data_version,omitempty"`
	Child          string  `json:"child,omitempty"` // ID of the dataset's ledger, where this one is its project's
	// Split and Part say that one part of the people alone was read: the number of the split, from 1, and the part. A person is charged for
	// one part of each split, and the sums of Total count the dearest.
	Split int    `json:"split,omitempty"`
	Part  string `json:"part,omitempty"`
}

// theorems are those of the filter.
func theorems(pure bool) []string {
	all := []string{
		"each release is μ-GDP up to a total variation: Dong, Roth and Su, Gaussian Differential Privacy (2022), Definition 4 and Theorem 1; a release of pure DP is charged as the least Gaussian that dominates it",
		"Σ μ² within μ*² fixed beforehand makes all of them μ*-GDP under adaptive choice: Smith and Thakurta, Fully Adaptive Composition for Gaussian Differential Privacy (2022); Koskela, Tobaben and Honkela, Individual Privacy Accounting with Gaussian Differential Privacy (ICLR 2023)",
		"from μ to (ε, δ): Balle and Wang, Improving the Gaussian Mechanism for Differential Privacy (ICML 2018), Theorem 8; total variation t costs δ ≤ (1 + e^ε) t, failures cost δ by the union bound",
	}
	if pure {
		all = append(all, "what is pure DP in releases, with Σ ε_i ≤ ε_p, adds ε_p to the ε of the rest, however each was chosen, also where one release takes of both: Rogers, Roth, Ullman and Vadhan, Privacy Odometers and Filters (2016), and the theorem on budgets of a ledger in the program's documentation")
	}
	return all
}

// Statement returns the privacy statement of all releases up to now.
func (l *Ledger) Statement() (Statement, error) {
	var s Statement
	err := l.inspectAll(func(h *history, running bool) { s = h.statement(l.status(running), running) })
	return s, err
}

func (h *history) statement(st Status, running bool) Statement {
	f := h.filter
	s := Statement{
		Format: "dpnb-privacy-statement", Version: 1, Ledger: h.header.id(), Records: h.lines - 1, Head: h.prev,
		Dataset: st.Dataset, Neighbours: st.Neighbours, Unit: st.Unit, Rehearsal: st.Rehearsal, Created: st.Created, Expires: st.Expires, Project: h.header.Config.ProjectID,
		Budget: st.Budget, Reserve: st.Reserve, Pure: st.Pure, Theorems: theorems(st.Pure > 0), Warnings: st.Warnings, Releases: []ReleaseStatement{},
		Total: Total{
			Releases: st.Releases, Epsilon: st.Spent.Epsilon, Delta: f.delta(st.Spent.Epsilon), Mu: f.mu(), Limit: f.limit(),
			TotalVariation: f.tv, Failure: f.fail, Pure: f.pureSpent(), Holds: f.holds(), Scope: st.Scope,
		},
	}
	splits := map[string]int{}
	for i := range h.entries {
		e := h.entry(i, running)
		if key := e.splitKey(); key != "" && splits[key] == 0 {
			splits[key] = len(splits) + 1
		}
		s.Releases = append(s.Releases, ReleaseStatement{
			Record: e.Seq, Time: e.When, Name: e.Name, State: e.State.String(), Fresh: e.Fresh, Mechanism: e.Mechanism,
			Event: e.Event, Parameters: e.Law, Guarantee: e.Guarantee, Mu: e.Mu, TotalVariation: e.TV, Failure: e.Fail, Pure: e.Pure,
			Reference: e.Reference, DataVersion: e.Version, Child: e.Child,
			Split: splits[e.splitKey()], Part: e.Part,
		})
	}
	return s
}

// mu is √Σμ², rounded up.
func (f *filter) mu() float64 {
	if f.sum.Sign() == 0 {
		return 0
	}
	v, _ := f.sum.Float64() // to nearest: within half an ulp, for which the second step is
	return math.Nextafter(math.Sqrt(math.Nextafter(v, math.Inf(1))), math.Inf(1))
}

// limit is μ*, rounded down.
func (f *filter) limit() float64 {
	v, _ := f.muStar2.Float64()
	return math.Nextafter(math.Sqrt(math.Nextafter(v, 0)), 0)
}

// delta is what holds together with ε, rounded up: the budget's δ where the filter held.
func (f *filter) delta(eps float64) float64 {
	if f.holds() {
		return f.budget.Delta
	}
	up := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	d := up(up(f.deltaMu+up((1+math.Exp(eps))*(1+0x1p-50)*f.tv)) + f.fail)
	return min(1, max(f.budget.Delta, d))
}

// holds reports whether what was charged is within the budget.
func (f *filter) holds() bool {
	return f.sum.Cmp(f.muStar2) <= 0 && f.pureSpent() <= f.pureMax && f.samplerDelta(0) <= f.reserve && f.fail <= f.kept
}

// MarshalIndent is the statement as a JSON document that ends in a newline.
func (s Statement) MarshalIndent() ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("ledger: statement: %w", err)
	}
	return []byte(b.String()), nil
}
