package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

func TestReleaseReplays(t *testing.T) {
	path := tempPath(t)
	clock := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("east", 3600))
	o := system()
	o.now = func() time.Time { return clock }
	l, err := create(path, testConfig(), o)
	must(t, err)
	defer l.Close()
	calls := 0
	r := request("mean of <age> & more", 0.05)
	// Bytes that JSON encoders like to change.
	const value = "{\"b\":1e400,\"a\":\"<&>\u2028\\u0041\",\"a\":[1.0,-0]}"
	first, err := l.Release(t.Context(), r, draws(" "+value+"\n", &calls))
	must(t, err)
	if string(first.Value) != value || first.Replayed || !first.When.Equal(clock) || first.Status.Releases != 1 {
		t.Fatalf("first: %+v", first)
	}
	clock = clock.Add(time.Hour)
	for name, again := range map[string]*Ledger{"same handle": l, "another handle": mustOpen(t, path)} {
		t.Run(name, func(t *testing.T) {
			got, err := again.Release(t.Context(), r, draws(`2`, &calls))
			must(t, err)
			if !got.Replayed || string(got.Value) != value || !got.When.Equal(first.When) || got.Guarantee.Route != r.Guarantee.Route ||
				got.Guarantee.Budget != r.Guarantee.Budget || got.Guarantee.Scope.Kind != accountant.Unconditional {
				t.Errorf("replay: %+v", got)
			}
			if got.Status.Spent != first.Status.Spent || got.Status.Left != first.Status.Left {
				t.Error("a replay costs something")
			}
		})
	}
	if calls != 1 {
		t.Errorf("%d draws, want 1", calls)
	}
}

func TestReleaseFreshPaysAgain(t *testing.T) {
	l := mustCreate(t, tempPath(t), testConfig())
	r := request("mean", 0.05)
	one := mustRelease(t, l, r, `1`)
	two := mustRelease(t, l, fresh(r), `2`)
	if two.Replayed || string(two.Value) != `2` || two.Status.Spent.Epsilon <= one.Status.Spent.Epsilon {
		t.Errorf("Fresh: %+v", two)
	}
	if got := mustRelease(t, l, r, `3`); !got.Replayed || string(got.Value) != `2` {
		t.Errorf("replays %s, want the latest value 2", got.Value)
	}
}

// The order is the promise: no draw before its charge is durable, no value before it is stored durably.
func TestReleaseOrder(t *testing.T) {
	var trace []string
	o := system()
	o.write = func(f *os.File, b []byte, off int64) (int, error) {
		var rec record
		if err := json.Unmarshal(b, &rec); err != nil {
			return 0, err
		}
		trace = append(trace, "write "+string(rec.Kind))
		return f.WriteAt(b, off)
	}
	o.sync = func(f *os.File) error { trace = append(trace, "sync"); return syncData(f) }
	l, err := create(tempPath(t), testConfig(), o)
	must(t, err)
	defer l.Close()
	trace = nil
	_, err = l.Release(t.Context(), request("mean", 0.05), func(context.Context) (json.RawMessage, error) {
		trace = append(trace, "draw")
		return json.RawMessage(`1`), nil
	})
	must(t, err)
	if want := []string{"write charge", "sync", "draw", "write store", "sync"}; !slices.Equal(trace, want) {
		t.Errorf("got %v, want %v", trace, want)
	}
}

func TestReleaseBudget(t *testing.T) {
	l := mustCreate(t, tempPath(t), testConfig())
	mu, err := calibrate(testConfig())
	must(t, err)
	mustRelease(t, l, request("most", mu*0.9), `"secret"`)
	before := mustStatus(t, l)
	calls := 0
	_, err = l.Release(t.Context(), request("too much", mu*0.5), draws(`1`, &calls))
	if !errors.Is(err, ErrBudget) || calls > 0 {
		t.Fatalf("got %v after %d draws, want ErrBudget and none", err, calls)
	}
	for _, want := range []string{"spent ε = ", "asked (0.1, 1e-06), which is ε = 0.4753 at the ledger's δ, left", "left ε = ", "nothing was charged", "replace-one", `"too much"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	if after := mustStatus(t, l); after.Spent != before.Spent || after.Releases != 1 {
		t.Errorf("a refused release was charged: %+v", after)
	}
	if rc := mustRelease(t, l, request("most", mu*0.9), `0`); !rc.Replayed {
		t.Error("a stored release must replay when the budget is short")
	}
	mustRelease(t, l, request("rest", mu*0.43), `1`)
}

func TestReleaseFailedDraw(t *testing.T) {
	boom := errors.New("the cell holds Ada Lovelace")
	for name, c := range map[string]struct {
		draw   func(context.Context) (json.RawMessage, error)
		want   error // returned by Release; nil for a panic or Goexit
		reason string
	}{
		"error":   {func(context.Context) (json.RawMessage, error) { return nil, boom }, boom, reasonError},
		"cancel":  {func(context.Context) (json.RawMessage, error) { return nil, context.Canceled }, context.Canceled, reasonCancel},
		"panic":   {func(context.Context) (json.RawMessage, error) { panic(boom) }, nil, reasonPanic},
		"Goexit":  {func(context.Context) (json.RawMessage, error) { runtime.Goexit(); return nil, nil }, nil, reasonPanic},
		"no JSON": {func(context.Context) (json.RawMessage, error) { return json.RawMessage(`Ada Lovelace`), nil }, nil, reasonInvalid},
		"nothing": {func(context.Context) (json.RawMessage, error) { return nil, nil }, nil, reasonInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			path := tempPath(t)
			l := mustCreate(t, path, testConfig())
			r := request("mean", 0.05)
			var err error
			done := make(chan any)
			go func() { // Goexit and panic end this goroutine only
				defer func() { done <- recover(); close(done) }()
				_, err = l.Release(context.Background(), r, c.draw)
			}()
			panicked := <-done
			switch {
			case name == "panic" && !errors.Is(panicked.(error), boom):
				t.Errorf("the panic did not go on: %v", panicked)
			case c.reason != reasonPanic && (err == nil || (c.want != nil && !errors.Is(err, c.want))):
				t.Errorf("got %v, want %v", err, c.want)
			case c.reason == reasonInvalid && strings.Contains(err.Error(), "Ada Lovelace"):
				t.Errorf("the error quotes the value: %v", err)
			}
			if strings.Contains(readText(t, path), "Ada Lovelace") {
				t.Error("the file holds the error's text")
			}
			es := mustEntries(t, mustOpen(t, path))
			if len(es) != 1 || es[0].State != Failed || es[0].Reason != c.reason {
				t.Fatalf("entries %+v", es)
			}
			s := mustStatus(t, l)
			if len(s.Interrupted) != 1 || !(s.Spent.Epsilon > 0) {
				t.Errorf("no refund: %+v", s)
			}
			// The lock is free again, the charge stands, Fresh pays again.
			calls := 0
			if _, err := l.Release(t.Context(), r, draws(`1`, &calls)); !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), c.reason) || calls > 0 {
				t.Errorf("got %v after %d draws", err, calls)
			}
			mustRelease(t, l, fresh(r), `2`)
			if rc := mustRelease(t, l, r, `3`); string(rc.Value) != `2` {
				t.Errorf("replays %s, want 2", rc.Value)
			}
			if s := mustStatus(t, l); len(s.Interrupted) != 0 || s.Releases != 2 {
				t.Errorf("after Fresh: %+v", s)
			}
		})
	}
}

// TestReleaseChargesPureEvents: Laplace noise and compositions of it with Gaussian noise are charged as the Gaussian that
// dominates them, and read back alike.
func TestReleaseChargesPureEvents(t *testing.T) {
	path := tempPath(t)
	l := mustCreate(t, path, testConfig())
	rel := testConfig().Neighbours
	laplace := accountant.Laplace{Sensitivity: 1, Scale: 30, Neighbours: rel}
	both := accountant.Compose(laplace, accountant.Gaussian{Sensitivity: 1, Sigma: 40, Neighbours: rel})
	var want []float64
	for i, e := range []accountant.Event{laplace, both} {
		mu, tv, err := accountant.GDPOf(e, rel)
		if err != nil || tv != 0 {
			t.Fatal(tv, err)
		}
		want = append(want, mu)
		r := request(fmt.Sprint("pure", i), 0.05)
		r.Event = e
		mustRelease(t, l, r, `1`)
	}
	for _, l := range []*Ledger{l, mustOpen(t, path)} {
		es := mustEntries(t, l)
		if len(es) != 2 || es[0].Mu != want[0] || es[1].Mu != want[1] {
			t.Errorf("entries %+v, want costs %v", es, want)
		}
	}
	r := request("too much", 0.05)
	r.Event = accountant.PureDP{Epsilon: 5, Neighbours: rel}
	calls := 0
	if _, err := l.Release(t.Context(), r, draws(`1`, &calls)); !errors.Is(err, ErrBudget) || calls > 0 {
		t.Errorf("got %v after %d draws, want ErrBudget", err, calls)
	}
}

func TestReleaseRefusesRequests(t *testing.T) {
	l := mustCreate(t, tempPath(t), testConfig())
	type plain struct{ accountant.Event }
	for name, c := range map[string]struct {
		edit func(*Request)
		want error
		text string
	}{
		"no ID":               {func(r *Request) { r.ID = "" }, nil, "ID"},
		"an ID of words":      {func(r *Request) { r.ID = "the mean of the ages" }, nil, "ID"},
		"capitals":            {func(r *Request) { r.ID = strings.ToUpper(r.ID) }, nil, "ID"},
		"a name of two lines": {func(r *Request) { r.Name = "a\nb" }, nil, "name"},
		"no event":            {func(r *Request) { r.Event = nil }, ErrEvent, "got nil"},
		"not Gaussian":        {func(r *Request) { r.Event = plain{accountant.NonPrivate{Reason: "raw"}} }, ErrEvent, "cannot charge a release of this kind"},
		"wrong relation":      {func(r *Request) { r.Event = addRemoveOnly{} }, errRelation, ""},
		"μ zero":              {func(r *Request) { r.Event = gauss{} }, ErrEvent, "μ"},
		"μ negative":          {func(r *Request) { r.Event = gauss{mu: -1} }, ErrEvent, "μ"},
		"μ NaN":               {func(r *Request) { r.Event = gauss{mu: math.NaN()} }, ErrEvent, "μ"},
		"μ Inf":               {func(r *Request) { r.Event = gauss{mu: math.Inf(1)} }, ErrEvent, "at so large an ε: ask for less"},
		"tv NaN":              {func(r *Request) { r.Event = gauss{0.1, math.NaN()} }, ErrEvent, "variation"},
		"tv negative":         {func(r *Request) { r.Event = gauss{0.1, -1e-20} }, ErrEvent, "variation"},
		"tv beyond":           {func(r *Request) { r.Event = gauss{0.1, 1e-7} }, ErrBudget, "variation"},
		"sold elsewhere":      {func(r *Request) { r.Guarantee.Neighbours = accountant.AddRemove }, nil, "relation"},
		"no scope":            {func(r *Request) { r.Guarantee.Scope.Kind = 0 }, nil, "scope"},
		"sold at NaN":         {func(r *Request) { r.Guarantee.Epsilon = math.NaN() }, nil, "guarantee"},
		"sold at Inf":         {func(r *Request) { r.Guarantee.Epsilon = math.Inf(1) }, nil, "guarantee"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request("mean", 0.05)
			c.edit(&r)
			calls := 0
			_, err := l.Release(t.Context(), r, draws(`1`, &calls))
			if err == nil || (c.want != nil && !errors.Is(err, c.want)) || !strings.Contains(err.Error(), c.text) || calls > 0 {
				t.Errorf("got %v after %d draws", err, calls)
			}
		})
	}
	if _, err := l.Release(t.Context(), request("mean", 0.05), nil); err == nil {
		t.Error("took a nil draw")
	}
	if s := mustStatus(t, l); s.Releases != 0 || s.Spent.Epsilon != 0 {
		t.Errorf("refused requests were charged: %+v", s)
	}
}

var errRelation = errors.New("priced for add/remove")

type addRemoveOnly struct{ gauss }

func (addRemoveOnly) GDP(accountant.Neighbours) (mu, tv float64, err error) {
	return 0, 0, errRelation
}

func TestReleaseInsideDraw(t *testing.T) {
	path := tempPath(t)
	l, other := mustCreate(t, path, testConfig()), mustOpen(t, path)
	_, err := l.Release(t.Context(), request("outer", 0.05), func(ctx context.Context) (json.RawMessage, error) {
		for name, in := range map[string]*Ledger{"same handle": l, "another handle": other} {
			if _, err := in.Release(ctx, request("inner", 0.05), draws(`1`, nil)); err == nil || !strings.Contains(err.Error(), "inside the draw") {
				t.Errorf("%s: %v", name, err)
			}
			// Status and Entries do not wait for the release that asks.
			if es := mustEntries(t, in); len(es) != 1 || es[0].State != Running {
				t.Errorf("%s: entries %+v", name, es)
			}
			if s := mustStatus(t, in); len(s.Interrupted) != 0 || !(s.Spent.Epsilon > 0) {
				t.Errorf("%s: status %+v", name, s)
			}
		}
		must(t, l.Close()) // takes effect at the end of the release
		return json.RawMessage(`1`), nil
	})
	must(t, err)
	if es := mustEntries(t, other); len(es) != 1 || es[0].State != Stored {
		t.Errorf("entries %+v", es)
	}
}

func TestReleaseContext(t *testing.T) {
	path := tempPath(t)
	l, other := mustCreate(t, path, testConfig()), mustOpen(t, path)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Release(ended, request("a", 0.05), draws(`1`, nil)); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "another release holds it") {
		t.Errorf("got %v, want Canceled", err)
	}
	inside, leave := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := l.Release(t.Context(), request("long", 0.05), func(context.Context) (json.RawMessage, error) {
			inside <- true
			<-leave
			return json.RawMessage(`1`), nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-inside
	for name, in := range map[string]*Ledger{"same handle": l, "another handle": other} {
		short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		if _, err := in.Release(short, request("b", 0.05), draws(`1`, nil)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, want DeadlineExceeded", name, err)
		}
		cancel()
	}
	close(leave)
	wg.Wait()
	if s := mustStatus(t, l); s.Releases != 1 {
		t.Errorf("%d charges, want 1", s.Releases)
	}
}

// Many goroutines, some on one handle: each ID is drawn once, and the budget holds.
func TestReleaseConcurrently(t *testing.T) {
	path := tempPath(t)
	ls := []*Ledger{mustCreate(t, path, testConfig()), mustOpen(t, path), mustOpen(t, path)}
	mu, err := calibrate(testConfig())
	must(t, err)
	var mutex sync.Mutex
	drawn, got := map[string]int{}, map[string]string{}
	refused := 0
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for i := range 20 {
				name := fmt.Sprint(i)
				rc, err := ls[w%len(ls)].Release(t.Context(), request(name, mu/4), func(context.Context) (json.RawMessage, error) {
					mutex.Lock()
					defer mutex.Unlock()
					drawn[name]++
					return json.RawMessage(fmt.Sprintf(`"%s by %d"`, name, w)), nil
				})
				mutex.Lock()
				switch {
				case errors.Is(err, ErrBudget):
					refused++
				case err != nil:
					t.Error(err)
				case got[name] != "" && got[name] != string(rc.Value):
					t.Errorf("%s: %s and %s", name, got[name], rc.Value)
				default:
					got[name] = string(rc.Value)
				}
				mutex.Unlock()
			}
		})
	}
	wg.Wait()
	if len(drawn) != 16 || refused != 6*4 {
		t.Errorf("%d draws and %d refusals, want 16 releases of μ*/4 and 24", len(drawn), refused)
	}
	for name, n := range drawn {
		if n != 1 {
			t.Errorf("%s was drawn %d times", name, n)
		}
	}
}

func TestStatus(t *testing.T) {
	l := mustCreate(t, tempPath(t), testConfig())
	a := request("a", 0.05)
	a.Guarantee.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{"no duplicates", "at most 3 missing"}}
	b := request("b", 0.02)
	b.Guarantee.Scope = accountant.Scope{Kind: accountant.Tested, On: []string{"no duplicates"}}
	mustRelease(t, l, a, `1`)
	mustRelease(t, l, b, `1`)
	s := mustStatus(t, l)
	if s.Scope.Kind != accountant.Conditional || !slices.Equal(s.Scope.On, []string{"at most 3 missing", "no duplicates"}) {
		t.Errorf("scope %+v", s.Scope)
	}
	if s.Budget != testConfig().Budget || s.Neighbours != accountant.ReplaceOne || s.Dataset != "adult" || s.Releases != 2 {
		t.Errorf("status %+v", s)
	}
	text := s.String()
	for _, want := range []string{"adult", "replace-one", "δ = 1e-06", "budget   ε = 1\n", "2 releases", "only between datasets that satisfy: at most 3 missing; no duplicates"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}
