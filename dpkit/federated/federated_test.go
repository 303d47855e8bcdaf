package federated

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// rows has y = 0.5a − 0.3b + shift and noise.
func rows(n int, seed uint64, shift float64) *frames.Frame {
	schema := must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.Numeric("b", -1, 1), frames.NumericLabel("y", -1, 1)))
	r := rand.New(rand.NewPCG(seed, 3))
	b := &frames.Block{Rows: n, Cols: 2}
	for range n {
		x, z := 2*r.Float64()-1, 2*r.Float64()-1
		b.X = append(b.X, x, z)
		b.Y = append(b.Y, max(-1, min(1, 0.5*x-0.3*z+shift+0.1*r.NormFloat64())))
	}
	return must(frames.FromBlock(schema, b))
}

func settings(noise GradientNoise) Training {
	o := Training{Epsilon: 2, Delta: 1e-6, Rounds: 60, Noise: noise, Ridge: 0.005}
	if noise == ClippedNoise {
		o.Clip = 0.5
	} else {
		o.Strength = dpkit.Bound(dpkit.Tested{Share: 0.1, Delta: 1e-8})
	}
	return o
}

type joined struct {
	result dpkit.Result[Model]
	err    error
}

// joiner is a node at the end of a link.
type joiner = func(context.Context, Link) (dpkit.Result[Model], error)

// train runs a training with one goroutine for each node.
func train(ctx context.Context, o Options, join ...joiner) (Outcome, []joined, error) {
	var links []Link
	done := make([]joined, len(join))
	ends := make([]chan struct{}, len(join))
	for i, j := range join {
		a, b := Pipe()
		links = append(links, a)
		ends[i] = make(chan struct{})
		go func() {
			defer close(ends[i])
			done[i].result, done[i].err = j(ctx, b)
		}()
	}
	out, err := Train(ctx, links, o)
	for i, l := range links {
		if err != nil {
			_ = l.Close()
		}
		<-ends[i]
	}
	return out, done, err
}

func node(s *dpkit.Session, o Training) func(context.Context, Link) (dpkit.Result[Model], error) {
	return func(ctx context.Context, l Link) (dpkit.Result[Model], error) {
		return Join(ctx, l, s.Data().Scale(), o)
	}
}

// TestTrain: two nodes whose labels are shifted apart find the model of all rows, by either noise and without any, and agree on it.
func TestTrain(t *testing.T) {
	ctx := context.Background()
	parts := []*frames.Frame{rows(60000, 1, -0.15), rows(30000, 2, 0.3)}
	together := must(frames.Collect(ctx, must(frames.Concat(parts[0], parts[1]))))
	exact := must(must(dpkit.OnPublic(frames.Public(together))).Data().Scale().FitLinear(dpkit.BestLinear{}).Release(ctx))
	best := must(exact.Value.RMSE(ctx, frames.Public(together)))
	for _, noise := range []GradientNoise{RelativeNoise, ClippedNoise, "none"} {
		var join []joiner
		for i, f := range parts {
			s := must(dpkit.Demo(f, uint64(i), dpkit.ReplaceOne))
			o := settings(noise)
			if noise == "none" {
				s, o = must(dpkit.OnPublic(frames.Public(f))), settings(RelativeNoise)
			}
			join = append(join, node(s, o))
		}
		seen := 0
		out, done, err := train(ctx, Options{Rounds: 60, Progress: func(round int, theta []float64) { seen += round }}, join...)
		if err != nil {
			t.Fatalf("%s: %v", noise, err)
		}
		if seen != 60*61/2 {
			t.Errorf("%s: progress was not told", noise)
		}
		for i, d := range done {
			if d.err != nil {
				t.Fatalf("%s, node %d: %v", noise, i+1, d.err)
			}
			m := d.result.Value
			if !slices.Equal(m.Points[60], out.Theta) || len(m.Answers) != 60 || !slices.Equal(m.Coef, done[0].result.Value.Coef) {
				t.Errorf("%s, node %d: has another model", noise, i+1)
			}
			if g := d.result.Cost.Guarantee; noise != "none" && !(g.Epsilon <= 2 && g.Epsilon > 1.9) {
				t.Errorf("%s, node %d: guarantee %v", noise, i+1, g)
			}
		}
		rmse := must(done[0].result.Value.RMSE(ctx, frames.Public(together)))
		t.Logf("%s: RMSE %.4f, least squares %.4f", noise, rmse, best)
		if !(rmse < best+0.03) {
			t.Errorf("%s: RMSE %.4f, least squares %.4f", noise, rmse, best)
		}
	}
}

// TestLedgers: every node charges a ledger of its own; all together replay at no cost; a node whose budget does not
// cover the training says so, and the others are told that it is over.
func TestLedgers(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	session := func(i int, epsilon float64) *dpkit.Session {
		name := filepath.Join(dir, string(rune('a'+i))+".ledger")
		s := must(dpkit.Create(rows(20000, uint64(i), 0), dpkit.Options{
			Ledger: name, Budget: dpkit.Budget{Epsilon: epsilon, Delta: 1e-5}, Neighbours: dpkit.ReplaceOne, Dataset: "node", Reserve: 4e-6, Rehearsal: true,
		}))
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	o := settings(RelativeNoise)
	o.Rounds = 8
	a, b := session(0, 4), session(1, 6)
	first, _, err := train(ctx, Options{Rounds: 8}, node(a, o), node(b, o))
	if err != nil {
		t.Fatal(err)
	}
	spent := must(a.Status()).Spent.Epsilon
	if !(spent > 1.5 && spent <= 4) {
		t.Errorf("node 1 spent %g", spent)
	}
	again, done, err := train(ctx, Options{Rounds: 8}, node(a, o), node(b, o))
	if err != nil || !slices.Equal(again.Theta, first.Theta) || !done[0].result.Replayed || !done[1].result.Replayed || must(a.Status()).Spent.Epsilon != spent {
		t.Errorf("the second training: %v, replayed %v, %v", err, done[0].result.Replayed, done[1].result.Replayed)
	}
	// Another step size asks at other points: the ledger has no answers for them.
	if _, done, err := train(ctx, Options{Rounds: 8, Step: 0.1}, node(a, o), node(b, o)); !errors.Is(err, ErrPeer) || !errors.Is(done[0].err, dpkit.ErrParameter) {
		t.Errorf("other points: %v, %v", err, done[0].err)
	}
	more := o
	more.Rounds = 9
	_, done, err = train(ctx, Options{Rounds: 9}, node(session(2, 1), more), node(b, more))
	if !errors.Is(err, ErrPeer) || !strings.Contains(err.Error(), "budget") || !errors.Is(done[0].err, ledger.ErrBudget) || !errors.Is(done[1].err, ErrPeer) {
		t.Errorf("a budget that is too small: %v; nodes %v, %v", err, done[0].err, done[1].err)
	}
	if st := must(b.Status()); len(st.Interrupted) != 1 {
		t.Errorf("node 2 has %d interrupted releases, want the one that its partner ended", len(st.Interrupted))
	}
}

// TestStream: the same conversation over connections.
func TestStream(t *testing.T) {
	ctx := context.Background()
	o := settings(ClippedNoise)
	o.Rounds = 5
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	ends := make(chan error, 2)
	for i := range 2 {
		go func() {
			c, err := net.Dial("tcp", l.Addr().String())
			if err == nil {
				link := Stream(c)
				_, err = Join(ctx, link, must(dpkit.Demo(rows(2000, uint64(i), 0), 7, dpkit.AddRemove)).Data().Scale(), o)
				err = errors.Join(err, link.Close())
			}
			ends <- err
		}()
	}
	var links []Link
	for range 2 {
		links = append(links, Stream(must(l.Accept())))
	}
	out, err := Train(ctx, links, Options{Rounds: 5, Weights: []float64{1, 1}})
	if err != nil || len(out.Theta) != 3 {
		t.Fatalf("%v, %v", out, err)
	}
	for range 2 {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
	for _, l := range links {
		_ = l.Close()
	}
}

// liar sends what it was told to, one message for each that it receives.
func liar(messages ...Message) func(context.Context, Link) (dpkit.Result[Model], error) {
	return func(ctx context.Context, l Link) (dpkit.Result[Model], error) {
		defer l.Close()
		for _, m := range messages {
			if err := l.Send(ctx, m); err != nil {
				return dpkit.Result[Model]{}, nil
			}
			if _, err := l.Receive(ctx); err != nil {
				return dpkit.Result[Model]{}, nil
			}
		}
		return dpkit.Result[Model]{}, nil
	}
}

func TestTrainBadNodes(t *testing.T) {
	ctx := context.Background()
	facts := Facts{Dim: 3, Rows: 10, Rounds: 2, Lipschitz: 1, MaxNorm: 1}
	with := func(change func(*Facts)) Message {
		f := facts
		change(&f)
		return Message{Kind: KindFacts, Facts: &f}
	}
	same := with(func(*Facts) {})
	good := Message{Kind: KindGradient, Vector: []float64{1, 2, 3}}
	for _, c := range []struct {
		name  string
		o     Options
		nodes []joiner
		want  error
		says  string
	}{
		{"no node", Options{Rounds: 2}, nil, ErrParameter, "node"},
		{"no rounds", Options{}, []joiner{liar(same)}, ErrParameter, "rounds"},
		{"step", Options{Rounds: 2, Step: math.NaN()}, []joiner{liar(same)}, ErrParameter, "step"},
		{"no facts", Options{Rounds: 2}, []joiner{liar(Message{Kind: KindFacts})}, ErrMessage, "facts"},
		{"NaN facts", Options{Rounds: 2}, []joiner{liar(with(func(f *Facts) { f.Lipschitz = math.NaN() }))}, ErrMessage, "facts"},
		{"negative gamma", Options{Rounds: 2}, []joiner{liar(with(func(f *Facts) { f.Gamma = -1 }))}, ErrMessage, "facts"},
		{"huge dimension", Options{Rounds: 2}, []joiner{liar(with(func(f *Facts) { f.Dim = math.MaxInt }))}, ErrMessage, "facts"},
		{"two dimensions", Options{Rounds: 2}, []joiner{liar(same), liar(with(func(f *Facts) { f.Dim = 4 }))}, ErrMessage, "schema"},
		{"other rounds", Options{Rounds: 3}, []joiner{liar(same)}, ErrParameter, "rounds"},
		{"weights", Options{Rounds: 2, Weights: []float64{1, 2}}, []joiner{liar(same)}, ErrParameter, "weights"},
		{"NaN weight", Options{Rounds: 2, Weights: []float64{math.NaN()}}, []joiner{liar(same)}, ErrParameter, "weights"},
		{"no weight", Options{Rounds: 2, Weights: []float64{0}}, []joiner{liar(same)}, ErrParameter, "weights"},
		{"another message", Options{Rounds: 2}, []joiner{liar(same, Message{Kind: KindPoint})}, ErrMessage, "point"},
		{"another round", Options{Rounds: 2}, []joiner{liar(same, good, good)}, ErrMessage, "round"},
		{"short gradient", Options{Rounds: 2}, []joiner{liar(same, Message{Kind: KindGradient, Vector: []float64{1}})}, ErrMessage, "gradient"},
		{"infinite gradient", Options{Rounds: 2}, []joiner{liar(same, Message{Kind: KindGradient, Vector: []float64{1, math.Inf(1), 0}})}, ErrMessage, "gradient"},
		{"a step out of range", Options{Rounds: 2, Step: 1e300}, []joiner{liar(same, Message{Kind: KindGradient, Vector: []float64{1e100, 0, 0}})}, ErrMessage, "range"},
		{"gives up", Options{Rounds: 2}, []joiner{liar(same, Message{Kind: KindError, Text: "tired"})}, ErrPeer, "tired"},
	} {
		if _, _, err := train(ctx, c.o, c.nodes...); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v that says %q", c.name, err, c.want, c.says)
		}
	}
}

// TestJoinBadCoordinator: a node refuses points that it did not offer to answer, and says nothing more.
func TestJoinBadCoordinator(t *testing.T) {
	ctx := context.Background()
	o := settings(ClippedNoise)
	o.Rounds = 2
	for _, c := range []struct {
		name  string
		point Message
		want  error
	}{
		{"too far", Message{Kind: KindPoint, Vector: []float64{1e9, 0, 0}}, dpkit.ErrParameter},
		{"NaN", Message{Kind: KindPoint, Vector: []float64{math.NaN(), 0, 0}}, dpkit.ErrParameter},
		{"short", Message{Kind: KindPoint, Vector: []float64{0}}, dpkit.ErrParameter},
		{"another round", Message{Kind: KindPoint, Round: 1, Vector: []float64{0, 0, 0}}, ErrMessage},
		{"another kind", Message{Kind: KindGradient, Vector: []float64{0, 0, 0}}, ErrMessage},
		{"over", Message{Kind: KindError, Text: "bye"}, ErrPeer},
	} {
		coordinator, end := Pipe()
		failed := make(chan error)
		go func() {
			_, err := Join(ctx, end, must(dpkit.Demo(rows(2000, 1, 0), 1, dpkit.AddRemove)).Data().Scale(), o)
			failed <- err
		}()
		if m := must(coordinator.Receive(ctx)); m.Kind != KindFacts || m.Facts.Dim != 3 {
			t.Fatalf("%s: got %+v", c.name, m)
		}
		if err := coordinator.Send(ctx, c.point); err != nil {
			t.Fatal(err)
		}
		if c.want != ErrPeer {
			if m := must(coordinator.Receive(ctx)); m.Kind != KindError || len(m.Vector) > 0 {
				t.Errorf("%s: the node answers %+v", c.name, m)
			}
		}
		if err := <-failed; !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

func TestLinksEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	a, b := Pipe()
	c, d := net.Pipe()
	s := Stream(c)
	cancel()
	for name, l := range map[string]Link{"pipe": a, "stream": s} {
		if _, err := l.Receive(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: receive: %v", name, err)
		}
		if err := l.Send(ctx, Message{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: send: %v", name, err)
		}
	}
	_, _ = a.Close(), d.Close()
	if _, err := b.Receive(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("closed pipe: receive: %v", err)
	}
	if err := b.Send(context.Background(), Message{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("closed pipe: send: %v", err)
	}
	if err := Stream(d).Send(context.Background(), Message{Vector: []float64{math.Inf(1)}}); err == nil {
		t.Error("an infinity in JSON: no error")
	}
	if err := Stream(d).Send(context.Background(), Message{Text: strings.Repeat("x", maxLine)}); !errors.Is(err, ErrParameter) {
		t.Errorf("a long message: %v", err)
	}
}

// connection reads what a fuzzer wrote and swallows what is sent.
type connection struct{ io.Reader }

func (connection) Write(p []byte) (int, error) { return len(p), nil }
func (connection) Close() error                { return nil }

// FuzzTrain: a node that sends anything at all ends the training with an error or a model of finite numbers.
func FuzzTrain(f *testing.F) {
	f.Add("{\"kind\":\"facts\",\"facts\":{\"dim\":2,\"rows\":5,\"rounds\":1,\"lipschitz\":1,\"max_norm\":3}}\n{\"kind\":\"gradient\",\"vector\":[1,2]}\n")
	f.Add("{\"kind\":\"facts\",\"facts\":{\"dim\":2}}\n")
	f.Add("{\"kind\":\"error\",\"text\":\"no\"}\n")
	f.Add("{\"kind\":1}\n[]\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, lines string) {
		out, err := Train(context.Background(), []Link{Stream(connection{strings.NewReader(lines)})}, Options{Rounds: 1})
		if err != nil {
			return
		}
		for _, v := range out.Theta {
			if v-v != 0 {
				t.Errorf("%q: got the model %v", lines, out.Theta)
			}
		}
	})
}
