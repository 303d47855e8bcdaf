package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/dpkit-go/dpnb/internal/noise"
)

// Client randomises answers. It is not safe for concurrent use.
type Client struct {
	s   Scheme
	rng *noise.Source
}

// NewClient returns a client with crypto-secure randomness. The error wraps [ErrParameter].
func NewClient(s Scheme) (*Client, error) { return newClient(s, noise.New()) }

// DemoClient returns a client for teaching: its reports are reproducible from the seed, so that they hide nothing.
func DemoClient(s Scheme, seed uint64) (*Client, error) { return newClient(s, noise.NewDemo(seed)) }

func newClient(s Scheme, rng *noise.Source) (*Client, error) {
	if s.id == "" {
		return nil, fmt.Errorf("local: client: got the zero scheme, want one that New returned: %w", ErrParameter)
	}
	return &Client{s, rng}, nil
}

// Report randomises one answer. Every call costs the person ε again. The error, of an answer that the scheme does
// not have, wraps [ErrAnswer] and does not repeat it.
func (c *Client) Report(answer string) (Report, error) {
	x, ok := c.s.index[answer]
	if !ok {
		return Report{}, fmt.Errorf("local: report: got an answer that is none of the scheme's %d, want one of them: map it before it is reported: %w", len(c.s.answers), ErrAnswer)
	}
	c.rng.Rekey()
	r := Report{Scheme: c.s.id}
	switch c.s.encoding {
	case Direct:
		v := c.choose(x, len(c.s.answers))
		r.Answer = &v
	case Symmetric, Optimized:
		r.Bits = c.unary(x)
	case Hadamard:
		row := int(c.rng.Uint64n(uint64(c.s.order)))
		sign := c.choose(hadamard(row, x+1), 2)
		r.Row, r.Sign = &row, &sign
	}
	return r, nil
}

// choose returns x with weight 1 and each other number below k with weight e^−ε: a uniform one is proposed, and
// another than x accepted with probability e^−ε, exactly. How often it proposes does not depend on x.
func (c *Client) choose(x, k int) int {
	for {
		v := int(c.rng.Uint64n(uint64(k)))
		// Both ways ask for the same bits, so that the time does not tell them apart.
		if keep := c.rng.BernoulliExp(c.s.epsilon, 1<<epsilonBit); v == x || keep {
			return v
		}
	}
}

// unary returns a bit for each answer, 8 to a byte, lowest first.
func (c *Client) unary(x int) []byte {
	k := len(c.s.answers)
	out := make([]byte, (k+7)/8)
	den := uint64(1) << epsilonBit
	if c.s.encoding == Symmetric {
		den <<= 1 // ε/2 a bit
	}
	for i := range k {
		// 1 of {the bit, its opposite} by randomized response of two answers.
		var flip bool
		for {
			flip = c.rng.Uint64()&1 == 1
			if keep := c.rng.BernoulliExp(c.s.epsilon, den); !flip || keep {
				break
			}
		}
		set := flip != (i == x)
		if coin := c.rng.Uint64()&1 == 1; i == x && c.s.encoding == Optimized {
			set = coin
		}
		if set {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return out
}

// hadamard is entry (i, j) of the Hadamard matrix of Sylvester, 0 for +1 and 1 for −1.
func hadamard(i, j int) int { return bits.OnesCount(uint(i&j)) & 1 }

// maxLine bounds a line of a stream: a unary report on 2^20 answers fits.
const maxLine = 1 << 18

// Stream reads one answer from each line and writes one report, a line of JSON, for each, until the end or ctx. The first
// line that is no answer ends it; the error tells its number, not what it held.
func (c *Client) Stream(ctx context.Context, answers io.Reader, reports io.Writer) error {
	in := bufio.NewScanner(answers)
	in.Buffer(nil, maxLine)
	out := bufio.NewWriter(reports)
	write := json.NewEncoder(out)
	line := 0
	for in.Scan() {
		line++
		if err := ctx.Err(); err != nil {
			return errors.Join(fmt.Errorf("local: stream: stopped before line %d: %w", line, context.Cause(ctx)), out.Flush())
		}
		r, err := c.Report(in.Text())
		if err == nil {
			err = write.Encode(r)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("local: stream: line %d: %w", line, err), out.Flush())
		}
	}
	if err := in.Err(); err != nil {
		return errors.Join(fmt.Errorf("local: stream: after line %d: %w", line, err), out.Flush())
	}
	return out.Flush()
}
