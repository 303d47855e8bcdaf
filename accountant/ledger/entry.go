package ledger

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// Entry is one charge and what became of it.
type Entry struct {
	Seq       int                  `json:"seq"` // number of the charge's record in the file
	ID        string               `json:"id"`
	Name      string               `json:"name,omitzero"`
	Event     string               `json:"event"` // the event as it was priced, on one line
	When      time.Time            `json:"when"`
	Fresh     bool                 `json:"fresh,omitzero"`
	Mu        float64              `json:"mu,omitzero"` // what was charged: μ-GDP up to total variation TV
	TV        float64              `json:"tv,omitzero"`
	Fail      float64              `json:"fail,omitzero"` // outside a failure of this probability
	Pure      float64              `json:"pure,omitzero"` // beside this ε of the part for pure releases
	Guarantee accountant.Guarantee `json:"guarantee,omitzero"`
	// Mechanism, Reference and Law are as in Request; empty in older records.
	Mechanism string          `json:"mechanism,omitzero"`
	Reference string          `json:"reference,omitzero"`
	Law       json.RawMessage `json:"law,omitzero"`
	Version   string          `json:"version,omitzero"` // version of the dataset
	// Child is the ID of the ledger that charged this one as its project's.
	Child string `json:"child,omitzero"`
	// Split and Part are as in Request.
	Split string `json:"split,omitzero"`
	Part  string `json:"part,omitzero"`
	State State  `json:"state,omitzero"`
	// Reason says in general terms why a Failed draw gave no value.
	Reason string `json:"reason,omitzero"`
}

// State is what became of a charge.
type State uint8

const (
	// Interrupted: the process ended, or the disk failed, between the charge and the stored value.
	Interrupted State = iota + 1
	// Running: a release is in progress, here or in another process.
	Running
	// Stored: the value is on disk and is replayed.
	Stored
	// Failed: the draw returned an error, panicked or gave no valid value.
	Failed
	// Elsewhere: the charge is a project's, and the value is in the ledger of the dataset.
	Elsewhere
)

func (s State) String() string {
	switch s {
	case Interrupted:
		return "interrupted"
	case Running:
		return "running"
	case Stored:
		return "stored"
	case Elsewhere:
		return "in the dataset's ledger"
	case Failed:
		return "failed"
	default:
		return "unknown"
	}
}

// Taken says what the charge took of each part of the budget: μ, which adds up in squares, ε of the part for pure releases, and δ of the
// reserve.
func (e Entry) Taken() string {
	var parts []string
	if e.Mu > 0 {
		parts = append(parts, "μ = "+roundedUp(e.Mu))
	}
	if e.Pure > 0 {
		parts = append(parts, "pure ε = "+roundedUp(e.Pure))
	}
	if e.Fail > 0 {
		parts = append(parts, "reserve δ = "+roundedUp(e.Fail))
	}
	return strings.Join(parts, ", ")
}

func (e Entry) cost() cost { return cost{e.Mu, e.TV, e.Fail, e.Pure} }
