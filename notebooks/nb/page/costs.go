package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// costKey is where an output's metadata says what a release cost: JSON, as an object or in a string.
// Package viz writes it; this package reads it from any notebook and believes nothing beyond its text.
const costKey = "dpnb"

// costMIME is the type of an output that says so and shows nothing: what a release leaves in its cell.
const costMIME = "application/vnd.dpnb.release+json"

// costRecord is what one output says.
type costRecord struct {
	Version    int         `json:"version"`
	Kind       string      `json:"kind"`
	Name       string      `json:"name"`
	Mechanism  string      `json:"mechanism"` // in words
	Event      string      `json:"event"`     // as it was priced
	Refused    bool        `json:"refused"`   // paid for, without a value
	Failed     bool        `json:"failed"`    // its draw gave no value: paid for, too
	NotPrivate string      `json:"not_private"`
	Epsilon    json.Number `json:"epsilon"`
	Delta      json.Number `json:"delta"`
	Neighbours string      `json:"neighbours"`
	Unit       string      `json:"unit"` // of privacy
	Scope      string      `json:"scope"`
	Replayed   bool        `json:"replayed"`
	Charged    string      `json:"charged"`
	Entry      string      `json:"entry"` // of the ledger
	Ledger     *costLedger `json:"ledger"`
}

type costLedger struct {
	Dataset  string      `json:"dataset"`
	Epsilon  json.Number `json:"budget_epsilon"`
	Delta    json.Number `json:"budget_delta"`
	Spent    json.Number `json:"spent_epsilon"`
	Releases int         `json:"releases"`
}

// readCost reads an output's metadata; ok is false where it says nothing of costs.
func readCost(o nb.Output) (r costRecord, ok bool) {
	raw := o.Metadata[costKey]
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	if len(raw) == 0 || json.Unmarshal(raw, &r) != nil || r.Version != 1 {
		return costRecord{}, false
	}
	return r, r.Kind == "release" || r.Kind == "ledger" && r.Ledger != nil
}

// releaseCost is one release, shown once or several times.
type releaseCost struct {
	costRecord
	ChargedIn, ReplayedIn []int // numbers of the code cells that show it so
}

// costSummary is what the outputs of a notebook say about costs.
type costSummary struct {
	Releases []*releaseCost
	Ledgers  []*costLedger // of each dataset the last word, of those that know of the most releases
}

// costsOf sums up. A release that is shown again, as a cell that is run twice does, is one release: it is
// known by its charge's time and by all that it states. The summary is empty where nothing was released.
func costsOf(n *nb.Notebook) (s costSummary) {
	number := 0
	for _, c := range n.Cells {
		if c == nil || c.Type != "code" || strings.TrimSpace(c.Source) == "" {
			continue
		}
		number++
		for _, o := range c.Outputs {
			if r, ok := readCost(o); ok {
				s.add(r, number)
			}
		}
	}
	if len(s.Releases) == 0 && !slices.ContainsFunc(s.Ledgers, func(l *costLedger) bool { return l.Releases > 0 }) {
		return costSummary{}
	}
	return s
}

func (s *costSummary) add(r costRecord, number int) {
	if r.Ledger != nil {
		i := slices.IndexFunc(s.Ledgers, func(l *costLedger) bool { return l.Dataset == r.Ledger.Dataset })
		if i < 0 {
			s.Ledgers, i = append(s.Ledgers, nil), len(s.Ledgers)
		}
		// A cell that was not run again knows less: what a ledger has released never becomes less.
		if old := s.Ledgers[i]; old == nil || r.Ledger.Releases >= old.Releases {
			s.Ledgers[i] = r.Ledger
		}
	}
	if r.Kind != "release" {
		return
	}
	i := slices.IndexFunc(s.Releases, func(old *releaseCost) bool { return old.identity() == r.identity() })
	if i < 0 {
		s.Releases, i = append(s.Releases, &releaseCost{costRecord: r}), len(s.Releases)
	}
	known := s.Releases[i]
	known.Mechanism, known.Unit = cmp.Or(known.Mechanism, r.Mechanism), cmp.Or(known.Unit, r.Unit) // a view does not say them
	in := &known.ChargedIn
	if r.Replayed {
		in = &known.ReplayedIn
	}
	if !slices.Contains(*in, number) { // a release and the view of it stand in one cell
		*in = append(*in, number)
	}
}

// identity is equal for two displays of one release: what is charged in a ledger has an entry there, and a time.
func (r costRecord) identity() string {
	if r.Entry != "" {
		return fmt.Sprintf("%q", []string{r.Dataset(), r.Entry, r.Charged})
	}
	return fmt.Sprintf("%q", []string{r.Dataset(), r.Name, r.Event, r.NotPrivate, r.Epsilon.String(), r.Delta.String(), r.Neighbours, r.Scope, r.Charged})
}

func (r costRecord) Dataset() string {
	if r.Ledger == nil {
		return ""
	}
	return r.Ledger.Dataset
}

// when is the time of the charge as a reader takes it, "" where it is not known.
func (r costRecord) when() string {
	t, err := time.Parse(time.RFC3339Nano, r.Charged)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// Hides says what the guarantee hides: the relation of neighbours, and the unit of privacy where it is known.
func (r costRecord) Hides() string {
	if r.Unit == "" {
		return r.Neighbours
	}
	return r.Neighbours + ", one " + r.Unit
}

// How says where the release was charged, and where its stored value came back for nothing.
func (r *releaseCost) How() string {
	var parts []string
	if len(r.ChargedIn) > 0 {
		parts = append(parts, "charged in "+cellList(r.ChargedIn))
	}
	if len(r.ReplayedIn) > 0 {
		s := "replayed in " + cellList(r.ReplayedIn)
		if when := r.when(); len(r.ChargedIn) == 0 && when != "" {
			s += ", charged " + when
		}
		parts = append(parts, s)
	}
	if r.Refused {
		parts = append(parts, "a test did not pass: no value")
	}
	if r.Failed {
		parts = append(parts, "its draw failed: no value")
	}
	return strings.Join(parts, "; ")
}

func cellList(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	if len(numbers) == 1 {
		return "cell " + words[0]
	}
	return "cells " + strings.Join(words, ", ")
}
