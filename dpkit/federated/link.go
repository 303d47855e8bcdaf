package federated

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dpkit-go/dpnb/internal/sentinel"
)

// Errors that calls wrap.
var (
	// ErrMessage says that the other side sent what has no meaning at this point.
	ErrMessage = errors.New("unexpected message")
	// ErrPeer says that the other side gave up.
	ErrPeer = errors.New("the other side gave up")
	// ErrParameter says that an option is out of range.
	ErrParameter = sentinel.ErrParameter
)

// Kind is what a message is.
type Kind string

// The messages of a training. A node begins with KindFacts; the coordinator then asks with KindPoint, and is answered with
// KindGradient, round by round; KindDone holds the result. Either side may end it with KindError.
const (
	KindFacts    Kind = "facts"
	KindPoint    Kind = "point"
	KindGradient Kind = "gradient"
	KindDone     Kind = "done"
	KindError    Kind = "error"
)

// Message is all that ever leaves a node, or reaches it.
type Message struct {
	Kind   Kind      `json:"kind"`
	Round  int       `json:"round,omitempty"` // from 0
	Facts  *Facts    `json:"facts,omitempty"`
	Vector []float64 `json:"vector,omitempty"`
	Text   string    `json:"text,omitempty"` // of an error
}

// Link carries messages between a node and the coordinator, in order. Send and Receive may run at the same time, each of them once.
type Link interface {
	// Send returns once the message is on its way, or with the error of ctx or of the transport.
	Send(ctx context.Context, m Message) error
	// Receive waits for the next message, until ctx or the link ends: then, or for what is no message, it is an error.
	Receive(ctx context.Context) (Message, error)
	// Close ends the link for both sides: what waits there returns an error.
	Close() error
}

// Pipe returns the two ends of a link within a program.
func Pipe() (coordinator, node Link) {
	a, b, closed := make(chan Message), make(chan Message), make(chan struct{})
	var once sync.Once
	end := func() { once.Do(func() { close(closed) }) }
	return &pipe{a, b, closed, end}, &pipe{b, a, closed, end}
}

type pipe struct {
	out, in chan Message
	closed  chan struct{}
	end     func()
}

func (p *pipe) Send(ctx context.Context, m Message) error {
	select {
	case p.out <- m.clone():
		return nil
	case <-p.closed:
		return fmt.Errorf("federated: send: %w", io.ErrClosedPipe)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipe) Receive(ctx context.Context) (Message, error) {
	select {
	case m := <-p.in:
		return m, nil
	case <-p.closed:
		return Message{}, fmt.Errorf("federated: receive: %w", io.EOF)
	case <-ctx.Done():
		return Message{}, ctx.Err()
	}
}

func (p *pipe) Close() error { p.end(); return nil }

// farewell tells the other side that it is over, though the context may have ended, and waits for a second at most: whoever
// does not listen will notice when the link is closed.
func farewell(ctx context.Context, link Link, text string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = link.Send(ctx, Message{Kind: KindError, Text: text})
}

// clone keeps the two ends from sharing memory.
func (m Message) clone() Message {
	m.Vector = append([]float64(nil), m.Vector...)
	if m.Facts != nil {
		f := *m.Facts
		m.Facts = &f
	}
	return m
}

// maxLine bounds a message of a stream: a vector of 2^16 numbers.
const maxLine = 1 << 21

// Stream is a link of one JSON object a line over a connection, or over the standard input and output of a process. A context
// that ends closes it, as nothing else wakes a blocked read.
func Stream(rw io.ReadWriteCloser) Link {
	s := bufio.NewScanner(rw)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	return &stream{rw: rw, lines: s}
}

type stream struct {
	rw    io.ReadWriteCloser
	lines *bufio.Scanner
}

func (s *stream) Send(ctx context.Context, m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("federated: send: %w", err)
	}
	if len(line)+1 > maxLine {
		return fmt.Errorf("federated: send: a message of %d bytes, want at most %d: %w", len(line)+1, maxLine, ErrParameter)
	}
	defer context.AfterFunc(ctx, func() { _ = s.rw.Close() })()
	if _, err := s.rw.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("federated: send: %w", errors.Join(ctx.Err(), err))
	}
	return nil
}

func (s *stream) Receive(ctx context.Context) (Message, error) {
	defer context.AfterFunc(ctx, func() { _ = s.rw.Close() })()
	if !s.lines.Scan() {
		err := s.lines.Err()
		if err == nil {
			err = io.EOF
		}
		return Message{}, fmt.Errorf("federated: receive: %w", errors.Join(ctx.Err(), err))
	}
	var m Message
	if err := json.Unmarshal(s.lines.Bytes(), &m); err != nil {
		return Message{}, fmt.Errorf("federated: receive: %w: %w", ErrMessage, err)
	}
	return m, nil
}

func (s *stream) Close() error { return s.rw.Close() }
