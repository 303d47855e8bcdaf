package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

const (
	formatName    = "dpnb-ledger"
	formatVersion = 2
	keyBytes      = 32
	idBytes       = 16
)

type kind string

const (
	kindCharge kind = "charge"
	kindStore  kind = "store"
	kindFailed kind = "failed"
	// Since version 2.
	kindUpgrade    kind = "upgrade"
	kindCheckpoint kind = "checkpoint"
	kindReserve    kind = "reserve"
)

// header is the first line.
type header struct {
	Format  string     `json:"format"`
	Version int        `json:"version"`
	Config  fileConfig `json:"config"`
	Mu      float64    `json:"mu"`
	// ID names the ledger, and KeyHash its key, which has a file of its own. Files of version 1 hold the KeyCheck instead,
	// and those of the first days the key itself.
	ID       string    `json:"id,omitempty"`
	KeyHash  string    `json:"key_hash,omitempty"`
	KeyCheck string    `json:"key_check,omitempty"`
	Key      []byte    `json:"key,omitempty"`
	Created  time.Time `json:"created"`
}

// record is every other line.
type record struct {
	Seq     int             `json:"seq"`
	Time    time.Time       `json:"time"`
	Kind    kind            `json:"kind"`
	Payload json.RawMessage `json:"payload"`
	Prev    string          `json:"prev"`
}

type charge struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Fresh     bool          `json:"fresh"`
	Event     string        `json:"event"`
	Mu        float64       `json:"mu"`
	TV        float64       `json:"tv"`
	Fail      float64       `json:"fail,omitempty"`
	Guarantee fileGuarantee `json:"guarantee"`
	// What is below is for the privacy statement, and for the check that the data are the same.
	Mechanism string          `json:"mechanism,omitempty"`
	Reference string          `json:"reference,omitempty"`
	Law       json.RawMessage `json:"law,omitempty"` // accountant.Marshal of the event
	Version   string          `json:"version,omitempty"`
	Data      string          `json:"data,omitempty"` // keyed fingerprint
	// Child is the ID of the ledger that charged this one as its project's; it holds the value.
	Child string `json:"child,omitempty"`
	// Since version 2. Pure is the ε that was charged to the part for pure releases; Mu is 0 then.
	Pure float64 `json:"pure,omitempty"`
	// Binds is what this charge binds the version of the dataset to.
	Binds *binding `json:"binds,omitempty"`
	// Split and Part name the part of a split of the people that alone was read; both or neither. Programs of before split.go count
	// such a charge in full, which is never too little.
	Split string `json:"split,omitempty"`
	Part  string `json:"part,omitempty"`
}

// upgrade says that from here on the records are those of a later version than the header's. Nothing else
// changes: the chain goes on, and all that stood before counts.
type upgrade struct {
	Version int    `json:"version"`
	Unit    string `json:"unit"`
	KeyHash string `json:"key_hash,omitempty"` // absent where the key's file was missing
}

type store struct {
	Charge int             `json:"charge"` // seq of the charge
	Value  json.RawMessage `json:"value"`
}

type failed struct {
	Charge int    `json:"charge"`
	Reason string `json:"reason"` // one of the reasons in release.go, never an error's text
}

// The file spells relations and scopes out, so that it does not hang on the numbering of constants.
type fileConfig struct {
	Dataset    string  `json:"dataset"`
	Epsilon    float64 `json:"epsilon"`
	Delta      float64 `json:"delta"`
	Neighbours string  `json:"neighbours"`
	Reserve    float64 `json:"reserve,omitempty"`
	// Since version 2, whose headers always tell the unit.
	Unit      string  `json:"unit,omitempty"`
	Pure      float64 `json:"pure,omitempty"`
	Rehearsal bool    `json:"rehearsal,omitempty"`
	// omitzero and omitempty: files without these fields keep their bytes.
	Expires   time.Time `json:"expires,omitzero"`
	Project   string    `json:"project,omitempty"`
	ProjectID string    `json:"project_id,omitempty"`
}

type fileGuarantee struct {
	Epsilon    float64  `json:"epsilon"`
	Delta      float64  `json:"delta"`
	Neighbours string   `json:"neighbours"`
	Scope      string   `json:"scope"`
	On         []string `json:"on"`
	Route      string   `json:"route"`
}

const (
	replaceOne = "replace-one"
	addRemove  = "add-remove"
)

func scopeNames() [accountant.Conditional + 1]string {
	return [...]string{
		accountant.Unconditional: "unconditional",
		accountant.Tested:        "tested",
		accountant.Conditional:   "conditional",
	}
}

// encode renders v as one line with its checksum, without the newline.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // stored values keep their bytes
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	return append(bytes.Clone(body), checksum(body)...), nil
}

// decode reads a line that encode made into v, and refuses every other spelling of it.
func decode(line []byte, v any) error {
	const n = len(`,"crc":"00000000"}`)
	if len(line) < n {
		return errors.New("too short for a record")
	}
	body, sum := line[:len(line)-n], line[len(line)-n:]
	if string(sum) != checksum(body) {
		return errors.New("the checksum does not match")
	}
	return strict(append(bytes.Clone(body), '}'), v)
}

// strict unmarshals b into v and requires that v has no other encoding.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	// The decoder's own error may quote the input.
	if err := d.Decode(v); err != nil {
		return errors.New("not the JSON of this format")
	}
	var c bytes.Buffer
	e := json.NewEncoder(&c)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil || !bytes.Equal(bytes.TrimSuffix(c.Bytes(), []byte("\n")), b) {
		return errors.New("not the JSON of this format")
	}
	return nil
}

func checksum(body []byte) string {
	return fmt.Sprintf(`,"crc":"%08x"}`, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

func lineHash(line []byte) string {
	h := sha256.Sum256(line)
	return hex.EncodeToString(h[:])
}

// newRecord builds the line that follows one with hash prev.
func newRecord(seq int, when time.Time, k kind, payload any, prev string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(payload); err != nil {
		return nil, err
	}
	return encode(record{Seq: seq, Time: when.UTC().Round(0), Kind: k, Payload: bytes.TrimSuffix(b.Bytes(), []byte("\n")), Prev: prev})
}

// decodeHeader verifies the first line.
func decodeHeader(line []byte) (header, Config, error) {
	var first struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(line, &first); err != nil || first.Format != formatName {
		return header{}, Config{}, errors.New("the header of a " + formatName + " file is missing")
	}
	if first.Version < 1 || first.Version > formatVersion {
		return header{}, Config{}, fmt.Errorf("format version %d, this program reads 1 to %d (a newer one may read it)", first.Version, formatVersion)
	}
	var h header
	if err := decode(line, &h); err != nil {
		return header{}, Config{}, fmt.Errorf("header: %w", err)
	}
	c, err := h.Config.config()
	if err != nil {
		return header{}, Config{}, err
	}
	if err := h.validateVersion(); err != nil {
		return header{}, Config{}, err
	}
	if err := h.validateKey(); err != nil {
		return header{}, Config{}, err
	}
	if (h.Config.Project == "") != (h.Config.ProjectID == "") {
		return header{}, Config{}, errors.New("header: a project without its ID, or the other way round")
	}
	if !(h.Mu > 0) || math.IsInf(h.Mu, 0) {
		return header{}, Config{}, fmt.Errorf("header: mu: got %v, want 0 < μ < ∞", h.Mu)
	}
	return h, c, nil
}

// validateVersion requires the fields of the header's version and no others.
func (h *header) validateVersion() error {
	c := h.Config
	if h.Version == 1 && (c.Unit != "" || c.Pure != 0 || c.Rehearsal || h.KeyHash != "") {
		return errors.New("header: fields of a later version")
	}
	if h.Version > 1 && (c.Unit == "" || h.KeyCheck != "" || h.Key != nil) {
		return errors.New("header: no unit, or fields of an earlier version")
	}
	return nil
}

// file is c as it stands in a header of this version.
func (c Config) file() fileConfig {
	return fileConfig{
		Dataset: c.Dataset, Epsilon: c.Budget.Epsilon, Delta: c.Budget.Delta, Neighbours: relationName(c.Neighbours), Reserve: c.Reserve,
		Unit: c.Unit.String(), Pure: c.Pure, Rehearsal: c.Rehearsal,
		Expires: c.Expires.UTC().Round(0), Project: c.Project,
	}
}

func (f fileConfig) config() (Config, error) {
	rel, err := relation(f.Neighbours)
	if err != nil {
		return Config{}, err
	}
	c := Config{
		Budget: accountant.Budget{Epsilon: f.Epsilon, Delta: f.Delta}, Neighbours: rel, Dataset: f.Dataset, Reserve: f.Reserve,
		Pure: f.Pure, Rehearsal: f.Rehearsal, Expires: f.Expires, Project: f.Project,
	}
	if f.Unit != "" {
		if err := c.Unit.UnmarshalText([]byte(f.Unit)); err != nil {
			return Config{}, errors.New("a unit of privacy that this version does not know")
		}
	}
	return c, c.validate()
}

func fileOf(g accountant.Guarantee) fileGuarantee {
	return fileGuarantee{
		Epsilon: g.Epsilon, Delta: g.Delta, Neighbours: relationName(g.Neighbours),
		Scope: scopeNames()[g.Scope.Kind], On: g.Scope.On, Route: g.Route,
	}
}

func (f fileGuarantee) guarantee() (accountant.Guarantee, error) {
	rel, err := relation(f.Neighbours)
	if err != nil {
		return accountant.Guarantee{}, err
	}
	g := accountant.Guarantee{
		Budget: accountant.Budget{Epsilon: f.Epsilon, Delta: f.Delta}, Neighbours: rel,
		Scope: accountant.Scope{On: f.On}, Route: f.Route,
	}
	for k, name := range scopeNames() {
		if name != "" && name == f.Scope {
			g.Scope.Kind = accountant.ScopeKind(k)
			return g, nil
		}
	}
	return accountant.Guarantee{}, errors.New("a scope that this version does not know")
}

func relationName(r accountant.Neighbours) string {
	if r == accountant.AddRemove {
		return addRemove
	}
	return replaceOne // Config and Request were validated: there is no third
}

func relation(name string) (accountant.Neighbours, error) {
	switch name {
	case replaceOne:
		return accountant.ReplaceOne, nil
	case addRemove:
		return accountant.AddRemove, nil
	default:
		return 0, errors.New("a neighbouring relation that this version does not know")
	}
}
