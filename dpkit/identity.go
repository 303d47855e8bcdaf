package dpkit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// A release is told apart by everything that determines it: the columns that the plan reads, as they are and as they are
// declared (by a hash that is keyed with the ledger's secret), the number of rows, the relation, every step and the mechanism
// with their parameters and the version of their law, and the name. Code that changes, types that are renamed, other columns
// and the place of a file do not change it.

// identityOf is what the identity of a release is the hash of.
type identityOf struct {
	Version    int // of this format
	Data       string
	Neighbours accountant.Neighbours
	Chain      []stepIdentity
	Name       string
}

// stepIdentity is that of a step or a mechanism.
type stepIdentity struct {
	Kind string
	Law  int
	Text string
	Code string `json:",omitempty"` // hash of the source of a function that the step calls, where it could be seen
}

// identityVersion is that of the format: what changes the law of a kind raises the law of that kind.
const identityVersion = 6

// request is how a release of the plan is asked for at the ledger.
func (pl *plan) request(ctx context.Context, q quote) (ledger.Request, error) {
	s := pl.p.s
	chain, err := pl.chainIdentity()
	if err != nil {
		return ledger.Request{}, err
	}
	q = q.read(s.schema, pl.m)
	columns := s.own(q.columns)
	data, err := s.fingerprint(ctx, columns...)
	if err != nil {
		return ledger.Request{}, fmt.Errorf("dpkit: release: %w", err)
	}
	split, part, err := s.part(ctx, q)
	if err != nil {
		return ledger.Request{}, err
	}
	arranged, err := s.arrangement(ctx, q)
	if err != nil {
		return ledger.Request{}, err
	}
	data += arranged // tables whose parts stand in another order are set aside otherwise
	others, bound, err := s.secondOf(ctx, q)
	if err != nil {
		return ledger.Request{}, err
	}
	data += others
	req := ledger.Request{
		ID:   hashOf(identityOf{identityVersion, data, s.neighbours, chain, pl.name}),
		Name: pl.name, Fresh: pl.fresh, Event: q.price.Event, Guarantee: q.price.Guarantee,
		Version: s.version, Columns: bound, Rows: s.rows, Split: split, Part: part,
	}
	for _, c := range columns {
		sum, err := s.boundFingerprint(ctx, c)
		if err != nil {
			return ledger.Request{}, fmt.Errorf("dpkit: release: %w", err)
		}
		req.Columns[boundName(c)] = sum
	}
	for _, c := range earlierLaws(chain, pl.m) {
		req.OldIDs = append(req.OldIDs, hashOf(identityOf{identityVersion, data, s.neighbours, c, pl.name}))
	}
	if s.ledger.HoldsEarlier() {
		if err := pl.askEarlier(ctx, &req); err != nil {
			return ledger.Request{}, err
		}
	}
	req.Mechanism, req.Reference = pl.statement(q)
	return req, nil
}

// own are the columns of the session's schema among those that a plan reads, in order.
func (s *Session) own(columns []string) (own []string) {
	for _, c := range s.schema.Columns() {
		if slices.Contains(columns, c.Name) {
			own = append(own, c.Name)
		}
	}
	return own
}

func (pl *plan) chainIdentity() ([]stepIdentity, error) {
	var chain []stepIdentity
	for i, step := range pl.p.steps {
		k, ok := kind.KindFor(step)
		if !ok {
			return nil, unregistered(i+1, step)
		}
		chain = append(chain, stepIdentity{k.Name, k.Law, kind.IdentityText(step), codeOf(step)})
		if j, ok := step.(steps.JoinPeople); ok { // laws and functions of its own chain
			for _, of := range j.With.Steps {
				k, _ := kind.KindFor(of)
				chain = append(chain, stepIdentity{"people/join: " + k.Name, k.Law, kind.IdentityText(of), codeOf(of)})
			}
		}
	}
	k, _ := kind.KindFor(pl.m)
	return append(chain, stepIdentity{k.Name, k.Law, kind.IdentityText(pl.m), ""}), nil
}

// earlierLaws are the chains of the same release by earlier laws of its mechanism, most recent first, whose values replay.
func earlierLaws(chain []stepIdentity, m any) (out [][]stepIdentity) {
	k, _ := kind.KindFor(m)
	for law := k.Law - 1; k.Replays > 0 && law >= k.Replays; law-- {
		c := slices.Clone(chain)
		c[len(c)-1].Law = law
		out = append(out, c)
	}
	return out
}

// codeOf is the hash of the source of the function that a step calls; "" where there is none or it cannot be seen.
func codeOf(step stage.Preprocessor) string {
	if m, ok := step.(steps.Mutation); ok {
		return m.Code()
	}
	return ""
}

// askEarlier adds what the ledger of a version before knows the release and its rows by.
func (pl *plan) askEarlier(ctx context.Context, req *ledger.Request) error {
	s := pl.p.s
	data, err := s.orderedFingerprint(ctx)
	if err != nil {
		return fmt.Errorf("dpkit: release: %w", err)
	}
	req.OldData = []string{data}
	var steps []string
	for _, step := range pl.p.steps {
		if k, _ := kind.KindFor(step); k.Call == "" && k.Law > 1 {
			return nil // its author says that the rows are others than then
		}
		steps = append(steps, kind.WasText(step))
	}
	schema := s.schema.Hash()
	req.OldIDs = append(req.OldIDs, hashOf(struct {
		Version    int
		Data       string
		Schema     string
		Neighbours accountant.Neighbours
		Steps      []string
		Name       string
	}{5, data, hex.EncodeToString(schema[:]), s.neighbours, append(steps, kind.WasText(pl.m)), pl.name}))
	return nil
}

// boundName is what a ledger knows a column by: its name, or a hash of one that it would not take.
func boundName(column string) string {
	const most = 200 // bytes that a ledger takes
	if len(column) <= most && !strings.ContainsFunc(column, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return column
	}
	sum := sha256.Sum256([]byte(column))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// hashOf is the hash of a document.
func hashOf(doc any) string {
	b, err := json.Marshal(doc)
	if err != nil {
		panic("dpkit: an identity of plain fields has no JSON: " + err.Error()) // impossible
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// unregistered is the error of a release behind a step of a caller's own that nobody registered.
func unregistered(i int, step any) error {
	if reflect.TypeOf(step).Kind() == reflect.Pointer {
		return fmt.Errorf("dpkit: release: step %d: got a %T, a pointer, want a registered struct: give its methods value receivers, register it with stage.Register, and pass it by value: %w", i, step, ErrParameter)
	}
	return fmt.Errorf("dpkit: release: step %d: got a %T, which is not registered: releases are told apart by the registered name and the parameters of each step; call stage.Register[%[2]T](\"example.com/module/step\", 1) in an init function, under the path of your module: %w", i, step, ErrParameter)
}
