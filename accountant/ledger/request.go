package ledger

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dpkit-go/dpnb/accountant"
)

// Request describes one release.
type Request struct {
	// ID is the release's identity: the lower-case hexadecimal hash of everything that determines it,
	// 16 to 128 digits.
	ID string
	// OldIDs are earlier identities of the same release, most recent first: those that older versions of the caller
	// gave it. A value stored under one of them is replayed with nothing charged; a new charge is made under ID. Of several
	// values the last counts.
	OldIDs []string
	// Name is for people and may be empty.
	Name string
	// Fresh pays again for a new draw, whether or not a value is stored. Set it for one run:
	// as long as it is set every run pays.
	Fresh bool
	// PureOnly charges the part for pure releases, of this ledger and of its project's, or nothing: where there is no room for
	// the release it is [ErrPureLeft], and is not charged as the Gaussian that covers it. A stored value replays all the same.
	PureOnly bool
	// Mechanism and Reference say for people what is released and which paper and theorem its price rests
	// on. They stand in the privacy statement and may be empty, at most 4000 bytes each.
	Mechanism, Reference string
	// Data is the fingerprint of the dataset under the ledger's Key, 64 hexadecimal digits; empty if
	// the caller does not tell. Version names a version of the dataset. The first charge of a version binds
	// it to its data, and a release on other data under the same version is refused: another version of the
	// same people's data has to be named as such, and draws on the same budget.
	Data, Version string
	// Columns are, in place of Data, fingerprints under the ledger's Key of the columns that the release reads, by the
	// column's name or a hash of it, and Rows the public number of rows. The first charge that reads a column of a version
	// binds it, and the version to Rows, so that what the release does not read may change. Empty, and not nil: it reads none.
	Columns map[string]string
	Rows    int
	// Split and Part say that the release reads the rows of one part of the people alone: Split names what they are split by, Part the
	// part. Who is in which part of a split must be the same whenever it is named, on both of two neighbouring datasets, and hang on no
	// cell: it may hang on who a person is, or on a row's place where rows are people. Of each split a person is charged for one part,
	// so that the parts together cost what the dearest does. Both empty: it reads everybody. Splits of versions are apart.
	Split, Part string
	// OldData are fingerprints of the same rows in earlier forms of Data. A version that is bound to one of them takes
	// Data or Columns for the same data, and stays bound to what it was.
	OldData []string
	// Event is what the release costs: one that [accountant.Charges] reads under the ledger's relation: Gaussian releases,
	// those of pure DP, covered ones and compositions of such.
	Event accountant.Event
	// Guarantee is what the release is sold as. It is recorded, and returned when the value is replayed.
	Guarantee accountant.Guarantee
}

// validateTexts checks what stands in the file beside the numbers.
func (r Request) validateTexts() error {
	if err := r.validateData(); err != nil {
		return err
	}
	if err := checkText("request: version", r.Version); err != nil {
		return err
	}
	for what, s := range map[string]string{"mechanism": r.Mechanism, "reference": r.Reference} {
		if len(s) > 4000 || !utf8.ValidString(s) {
			return fmt.Errorf("ledger: request: %s: got %d bytes, want at most 4000 of UTF-8", what, len(s))
		}
	}
	return nil
}

func (r Request) label() string { return Entry{ID: r.ID, Name: r.Name}.label() }

func checkID(id string) error {
	if len(id) < 16 || len(id) > 128 {
		return fmt.Errorf("ID: got %d characters, want 16 to 128 hexadecimal digits: hash what determines the release", len(id))
	}
	if strings.Trim(id, "0123456789abcdef") != "" {
		return errors.New("ID: got other characters than lower-case hexadecimal digits: hash what determines the release")
	}
	return nil
}
