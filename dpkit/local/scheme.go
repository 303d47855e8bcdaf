package local

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/sentinel"
)

// Errors that callers branch on; every error of this package says more.
var (
	ErrParameter = sentinel.ErrParameter
	ErrAnswer    = errors.New("not an answer of the scheme")
	ErrReport    = errors.New("not a report of the scheme")
)

// Encoding says what a report is.
type Encoding string

const (
	// Direct reports one of the answers, the true one most often (k-ary randomized response; Kairouz, Bonawitz, Ramage
	// 2016): the most exact for few answers, k < 3e^ε + 2 or so.
	Direct Encoding = "direct"
	// Symmetric reports a bit for each answer, each kept with probability e^{ε/2}/(1 + e^{ε/2}) (basic RAPPOR;
	// Erlingsson, Pihur, Korolova 2014).
	Symmetric Encoding = "symmetric unary"
	// Optimized reports a bit for each answer: the true one's is set with probability ½, every other with 1/(1 + e^ε)
	// (Wang, Blocki, Li, Jha 2017). The error does not grow with the number of answers, the report does.
	Optimized Encoding = "optimized unary"
	// Hadamard reports one entry of the answer's row of a Hadamard matrix, at a random place, by randomized response (Acharya,
	// Sun, Zhang 2019): the variance at rare answers is cosh²(ε/2) times that of Optimized, the report is a number and a bit.
	Hadamard Encoding = "hadamard"
)

const (
	maxAnswers = 1 << 20
	maxDirect  = 1 << 14 // the sampler proposes up to that often
	epsilonBit = 32      // ε is a multiple of 2^-32
)

// Scheme is what clients and aggregator agree on. All of it is public; it is immutable.
type Scheme struct {
	encoding Encoding
	answers  []string
	index    map[string]int
	epsilon  uint64 // in units of 2^-32
	order    int    // of the Hadamard matrix, a power of two above the number of answers
	id       string
}

// New checks and returns a scheme. Answers are all that a person may give, 2 to 2^20 different ones (2^14 for Direct);
// ε is from 2^-20 to 32. Errors wrap [ErrParameter].
func New(e Encoding, epsilon float64, answers ...string) (Scheme, error) {
	bad := func(format string, args ...any) (Scheme, error) {
		return Scheme{}, fmt.Errorf("local: scheme: %s: %w", fmt.Sprintf(format, args...), ErrParameter)
	}
	most := maxAnswers
	switch e {
	case Direct:
		most = maxDirect
	case Symmetric, Optimized, Hadamard:
	default:
		return bad("encoding: got %q, want Direct, Symmetric, Optimized or Hadamard", string(e))
	}
	if !(epsilon >= 0x1p-20 && epsilon <= 32) {
		return bad("epsilon: got %g, want a number in [2^-20, 32]", epsilon)
	}
	if len(answers) < 2 || len(answers) > most {
		return bad("got %d answers, want 2 to %d; use Hadamard for many", len(answers), most)
	}
	s := Scheme{encoding: e, answers: slices.Clone(answers), index: make(map[string]int, len(answers))}
	for i, a := range s.answers {
		if !utf8.ValidString(a) {
			return bad("answer %d is not UTF-8", i+1)
		}
		if j, dup := s.index[a]; dup {
			return bad("answers %d and %d are the same, want different ones", j+1, i+1)
		}
		s.index[a] = i
	}
	s.epsilon = uint64(math.Floor(math.Ldexp(epsilon, epsilonBit))) // exact: a scaling, then down
	s.order = 1 << bits.Len(uint(len(answers)))
	doc, err := json.Marshal(s.wire())
	if err != nil {
		return bad("answers: %v", err)
	}
	sum := sha256.Sum256(doc)
	s.id = hex.EncodeToString(sum[:8])
	return s, nil
}

// wireScheme is the scheme as it is stored and sent.
type wireScheme struct {
	Encoding Encoding `json:"encoding"`
	Epsilon  float64  `json:"epsilon"`
	Answers  []string `json:"answers"`
}

func (s Scheme) wire() wireScheme { return wireScheme{s.encoding, s.Epsilon(), s.answers} }

// MarshalJSON writes what [New] takes.
func (s Scheme) MarshalJSON() ([]byte, error) { return json.Marshal(s.wire()) }

// UnmarshalJSON reads what MarshalJSON wrote, checked as by [New].
func (s *Scheme) UnmarshalJSON(text []byte) error {
	var w wireScheme
	if err := json.Unmarshal(text, &w); err != nil {
		return fmt.Errorf("local: scheme: %w: %w", ErrParameter, err)
	}
	read, err := New(w.Encoding, w.Epsilon, w.Answers...)
	if err == nil {
		*s = read
	}
	return err
}

// Epsilon is that of one report, rounded down from what was asked for.
func (s Scheme) Epsilon() float64 { return math.Ldexp(float64(s.epsilon), -epsilonBit) }

// Answers returns a copy of the public answers.
func (s Scheme) Answers() []string { return slices.Clone(s.answers) }

// Encoding is that of the reports.
func (s Scheme) Encoding() Encoding { return s.encoding }

// ID tells the scheme from others; every report carries it.
func (s Scheme) ID() string { return s.id }

// Event is one report, under a change of the person's answer. Its curves are tight but for Optimized, which is charged as
// any ε-DP release.
func (s Scheme) Event() accountant.Event {
	const rel = accountant.ReplaceOne
	switch s.encoding {
	case Direct:
		return accountant.RandomizedResponse{K: len(s.answers), Epsilon: s.Epsilon(), Neighbours: rel}
	case Symmetric: // two bits differ
		return accountant.Repeat(accountant.RandomizedResponse{K: 2, Epsilon: s.Epsilon() / 2, Neighbours: rel}, 2)
	case Hadamard:
		return accountant.RandomizedResponse{K: 2, Epsilon: s.Epsilon(), Neighbours: rel}
	}
	return accountant.PureDP{Epsilon: s.Epsilon(), Neighbours: rel}
}

// support returns the probabilities p and q with which a report supports the true answer and any other one (Wang,
// Blocki, Li, Jha 2017): in Direct it names the answer, in a unary one it has its bit set, in Hadamard its
// sign is that of the answer's entry.
func (s Scheme) support() (p, q float64) {
	e := s.Epsilon()
	switch s.encoding {
	case Direct:
		small := math.Exp(-e)
		p = 1 / (1 + float64(len(s.answers)-1)*small)
		return p, small * p
	case Symmetric:
		return 1 / (1 + math.Exp(-e/2)), 1 / (1 + math.Exp(e/2))
	case Optimized:
		return 0.5, 1 / (1 + math.Exp(e))
	}
	return 1 / (1 + math.Exp(-e)), 0.5
}

// String names the scheme.
func (s Scheme) String() string {
	return fmt.Sprintf("%s encoding of %d answers, ε = %g for each report", s.encoding, len(s.answers), s.Epsilon())
}
