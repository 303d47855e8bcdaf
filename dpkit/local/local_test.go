package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/single"
)

var encodings = []Encoding{Direct, Symmetric, Optimized, Hadamard}

func must[T any](v T, err error) T {
	if err != nil {
		panic("test fixture: " + err.Error())
	}
	return v
}

func letters(k int) []string {
	out := make([]string, k)
	for i := range out {
		out[i] = fmt.Sprintf("a%d", i)
	}
	return out
}

// key names a report among all of its scheme.
func key(r Report) string { return string(must(json.Marshal(r))) }

// laws is the exact law of the reports on an answer, by the definitions.
func laws(s Scheme, x int) map[string]float64 {
	out := map[string]float64{}
	e := s.Epsilon()
	k := len(s.answers)
	switch s.encoding {
	case Direct:
		for v := range k {
			p := 1 / (math.Exp(e) + float64(k) - 1)
			if v == x {
				p *= math.Exp(e)
			}
			out[key(Report{Scheme: s.id, Answer: &v})] = p
		}
	case Hadamard:
		for row := range s.order {
			for sign := range 2 {
				p := 1 / (1 + math.Exp(e)) / float64(s.order)
				if sign == hadamard(row, x+1) {
					p *= math.Exp(e)
				}
				out[key(Report{Scheme: s.id, Row: &row, Sign: &sign})] = p
			}
		}
	default:
		for b := range 1 << k {
			p := 1.0
			for i := range k {
				set := 1 / (1 + math.Exp(e/2))
				if s.encoding == Optimized {
					set = 1 / (1 + math.Exp(e))
				}
				if i == x {
					set = 1 - set
					if s.encoding == Optimized {
						set = 0.5
					}
				}
				if b>>i&1 == 0 {
					set = 1 - set
				}
				p *= set
			}
			out[key(Report{Scheme: s.id, Bits: []byte{byte(b)}})] = p
		}
	}
	return out
}

// TestLaw: reports have their law: χ² of the counts, with a false alarm of 1e-10 for each; and no two answers' laws differ
// by more than e^ε anywhere, which they attain.
func TestLaw(t *testing.T) {
	single.Goroutine(t)
	const draws = 20_000
	for _, e := range encodings {
		for _, c := range []struct {
			k       int
			epsilon float64
		}{{2, 0.3}, {3, 1}, {5, 2.5}} {
			s := must(New(e, c.epsilon, letters(c.k)...))
			client := must(DemoClient(s, 5))
			worst := 0.0
			first := laws(s, 0)
			for x := range c.k {
				law := laws(s, x)
				counts := map[string]float64{}
				for range draws {
					counts[key(must(client.Report(s.answers[x])))]++
				}
				var chi, total float64
				for r, p := range law {
					d := counts[r] - draws*p
					chi += d * d / (draws * p)
					total += counts[r]
					worst = max(worst, math.Abs(math.Log(p/first[r])))
				}
				if total != draws {
					t.Errorf("%v, answer %d: %g of %d reports are known", s, x, total, draws)
				}
				if most := (distuv.ChiSquared{K: float64(len(law) - 1)}).Quantile(1 - 1e-10); chi > most {
					t.Errorf("%v, answer %d: χ² = %.1f, want at most %.1f", s, x, chi, most)
				}
			}
			if !(worst <= s.Epsilon()*(1+1e-12)) || worst < s.Epsilon()*(1-1e-12) {
				t.Errorf("%v: laws differ by %.15g", s, worst)
			}
		}
	}
}

// TestEventOnLaw: the curves of the event are at least the divergences of the laws at every order, and equal to them but for
// Optimized.
func TestEventOnLaw(t *testing.T) {
	for _, e := range encodings {
		for _, epsilon := range []float64{0.2, 1, 3} {
			s := must(New(e, epsilon, letters(4)...))
			curve := must(s.Event().RDP(accountant.ReplaceOne))
			p, q := laws(s, 0), laws(s, 1)
			if e == Hadamard { // given the row the two agree on half of the rows: the worst pair is one row's
				curve = nil
			}
			for _, alpha := range []float64{1.5, 2, 7, 40} {
				var sum float64
				for r, v := range p {
					sum += v * math.Pow(v/q[r], alpha-1)
				}
				d := math.Log(sum) / (alpha - 1)
				if curve == nil {
					bound := must(s.Event().RDP(accountant.ReplaceOne))(alpha)
					if d > bound*(1+1e-12) {
						t.Errorf("%v, α = %g: divergence %.12g above the curve %.12g", s, alpha, d, bound)
					}
					continue
				}
				if got := curve(alpha); d > got*(1+1e-12) || (e != Optimized && got > d*(1+1e-9)) {
					t.Errorf("%v, α = %g: divergence %.12g, curve %.12g", s, alpha, d, got)
				}
			}
			z, ok := s.Event().(accountant.ZCDPer)
			if !ok {
				t.Fatalf("%v: no zCDP", s)
			}
			if rho := must(z.ZCDP(accountant.ReplaceOne)); !(rho <= epsilon*epsilon/2) {
				t.Errorf("%v: ρ = %g, want at most ε²/2", s, rho)
			}
		}
	}
}

// TestGolden: probabilities and zCDP against values of 25 digits.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		epsilon float64
		k       int
		p, q    float64
	}{
		{0.5, 10, 0.154828098960254655706986, 0.09390798900441614936589045},
		{1, 2, 0.7310585786300048792511592, 0.2689414213699951207488408},
		{1, 10, 0.231969316684073936388235, 0.08533674259065845151241834},
		{3, 10, 0.6905678577030156078688783, 0.03438134914410937690345796},
	} {
		s := must(New(Direct, c.epsilon, letters(c.k)...))
		if p, q := s.support(); math.Abs(p-c.p) > 1e-15 || math.Abs(q-c.q) > 1e-15 {
			t.Errorf("k = %d, ε = %g: got p = %.17g, q = %.17g", c.k, c.epsilon, p, q)
		}
	}
	rho := must(must(New(Direct, 1, letters(10)...)).Event().(accountant.ZCDPer).ZCDP(accountant.ReplaceOne))
	if math.Abs(rho-0.14813) > 1e-5 {
		t.Errorf("k = 10, ε = 1: got ρ = %.6f, want 0.14813", rho)
	}
}

// collect asks n people, the i-th of whom answers i mod (shown) of k.
func collect(t *testing.T, e Encoding, epsilon float64, k, shown, n int, seed uint64) *Aggregator {
	t.Helper()
	s := must(New(e, epsilon, letters(k)...))
	client := must(DemoClient(s, seed))
	a := must(NewAggregator(s))
	for i := range n {
		if err := a.Add(must(client.Report(s.answers[i%shown]))); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// TestFrequencies: estimates are within 6.5 of their standard deviations, which fails of 4·9 of them with probability
// below 1e-8; sharply so over many runs: squares of errors in their units sum to a χ².
func TestFrequencies(t *testing.T) {
	single.Goroutine(t)
	for _, e := range encodings {
		a := collect(t, e, 1.5, 9, 3, 20_000, 3)
		for i, f := range must(a.Frequencies(0.95)) {
			want := 0.0
			if i < 3 {
				want = 1.0 / 3
			}
			if math.Abs(f.Share-want) > 6.5*f.SD+1e-4 {
				t.Errorf("%s: share of %s: got %.4f ± %.4f, want %.4f", e, f.Answer, f.Share, f.SD, want)
			}
		}
		const runs = 150
		var chi float64
		for seed := range uint64(runs) {
			f := must(collect(t, e, 2, 4, 2, 400, seed+100).Frequencies(0.5))[0]
			chi += (f.Share - 0.5) * (f.Share - 0.5) / (f.SD * f.SD)
		}
		d := distuv.ChiSquared{K: runs}
		if lo, hi := 0.9*d.Quantile(1e-10), 1.1*d.Quantile(1-1e-10); !(chi >= lo && chi <= hi) {
			t.Errorf("%s: squares of errors sum to %.1f, want %.1f to %.1f", e, chi, lo, hi)
		}
	}
}

// TestIntervalsCover: intervals of level 0.9 hold a share that people were drawn from, independently, 0.9 of the time or more:
// less than 0.9 − 6.5 √(0.09/runs) of the time has probability below 1e-9.
func TestIntervalsCover(t *testing.T) {
	const runs, n, share = 400, 60, 0.25
	for _, e := range encodings {
		s := must(New(e, 2, letters(3)...))
		client := must(DemoClient(s, 11))
		held := 0
		for range runs {
			a := must(NewAggregator(s))
			for range n {
				x := 1
				if client.rng.Bernoulli(1, 4) {
					x = 0
				}
				if err := a.Add(must(client.Report(s.answers[x]))); err != nil {
					t.Fatal(err)
				}
			}
			if f := must(a.Frequencies(0.9))[0]; f.Lo <= share && share <= f.Hi {
				held++
			}
		}
		if least := runs * (0.9 - 6.5*math.Sqrt(0.09/runs)); float64(held) < least {
			t.Errorf("%s: %d of %d intervals hold the share, want at least %.0f", e, held, runs, least)
		}
	}
}

// TestStream: answers go through a client, JSON lines and an aggregator; what is no report is passed over.
func TestStream(t *testing.T) {
	ctx := context.Background()
	for _, e := range encodings {
		s := must(New(e, 4, letters(20)...))
		var answers, reports bytes.Buffer
		for i := range 500 {
			fmt.Fprintln(&answers, s.answers[i%2])
		}
		if err := must(DemoClient(s, 3)).Stream(ctx, &answers, &reports); err != nil {
			t.Fatal(err)
		}
		clean := reports.String()
		dirty := "{}\n" + clean + strings.Repeat("x", 2*maxLine) + "\nnull\n" + `{"scheme":"` + s.id + `"}` + "\n" + clean + `{"scheme":`
		whole, half := must(NewAggregator(s)), must(NewAggregator(s))
		if err := whole.Stream(ctx, strings.NewReader(dirty)); err != nil {
			t.Fatal(err)
		}
		if whole.Reports() != 1000 || whole.Rejected() != 5 {
			t.Errorf("%s: got %d reports, %d rejected, want 1000 and 5", e, whole.Reports(), whole.Rejected())
		}
		for range 2 {
			part := must(NewAggregator(s))
			if err := errors.Join(part.Stream(ctx, strings.NewReader(clean)), half.Merge(part)); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := must(half.Frequencies(0.9)).String(), must(whole.Frequencies(0.9)).String(); got != want {
			t.Errorf("%s: merged:\n%s\nat once:\n%s", e, got, want)
		}
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		if err := whole.Stream(stopped, strings.NewReader(clean)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: stopped: got %v", e, err)
		}
		err := must(DemoClient(s, 3)).Stream(ctx, strings.NewReader("a0\nsecret\n"), &reports)
		if !errors.Is(err, ErrAnswer) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: unknown answer: got %v", e, err)
		}
		if err := whole.Merge(must(NewAggregator(must(New(e, 3, letters(20)...))))); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: merge of another scheme: got %v", e, err)
		}
	}
}

// TestSchemes: what is wrong with a scheme is told, and one survives JSON.
func TestSchemes(t *testing.T) {
	for name, err := range map[string]error{
		"encoding":      second(New("x", 1, "a", "b")),
		"no epsilon":    second(New(Direct, 0, "a", "b")),
		"NaN epsilon":   second(New(Direct, math.NaN(), "a", "b")),
		"large epsilon": second(New(Direct, 33, "a", "b")),
		"one answer":    second(New(Direct, 1, "a")),
		"same answers":  second(New(Direct, 1, "a", "a")),
		"not UTF-8":     second(New(Direct, 1, "a", "\xff")),
		"many answers":  second(New(Direct, 1, letters(maxDirect+1)...)),
		"zero client":   second(NewClient(Scheme{})),
		"zero counter":  second(NewAggregator(Scheme{})),
	} {
		if !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	ids := map[string]bool{}
	for _, e := range encodings {
		for _, epsilon := range []float64{0x1p-20, 1e-6, 0.1, 1, 32} {
			s := must(New(e, epsilon, "yes", "no", "ü"))
			if s.Epsilon() > epsilon || s.Epsilon() < epsilon-0x1p-32 {
				t.Errorf("ε: got %.17g for %.17g, want no more and little less", s.Epsilon(), epsilon)
			}
			var back Scheme
			if err := json.Unmarshal(must(json.Marshal(s)), &back); err != nil || back.ID() != s.ID() {
				t.Errorf("%v: came back as %v, %v", s, back, err)
			}
			ids[s.ID()] = true
			if r := must(must(NewClient(s)).Report("ü")); s.Check(r) != nil {
				t.Errorf("%v: a report is refused: %v", s, s.Check(r))
			}
		}
	}
	if len(ids) != 4*5 {
		t.Errorf("got %d different names of 20 schemes", len(ids))
	}
	a := must(NewAggregator(must(New(Direct, 1, "a", "b"))))
	if _, err := a.Frequencies(0.9); !errors.Is(err, ErrParameter) {
		t.Errorf("no reports: got %v", err)
	}
	if _, err := a.Frequencies(1); !errors.Is(err, ErrParameter) {
		t.Errorf("level: got %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// FuzzDecode: whatever comes in either is refused or counts, and counting it cannot fail.
func FuzzDecode(f *testing.F) {
	var schemes []Scheme
	for _, e := range encodings {
		s := must(New(e, 1, letters(11)...))
		schemes = append(schemes, s)
		f.Add(must(json.Marshal(must(must(DemoClient(s, 1)).Report("a3")))))
	}
	f.Add([]byte(`{"scheme":"x","answer":1e9}`))
	f.Add([]byte(`{} {}`))
	f.Add([]byte(`{}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, s := range schemes {
			r, err := s.Decode(line)
			if err != nil {
				if !errors.Is(err, ErrReport) {
					t.Errorf("got %v, want one that wraps %v", err, ErrReport)
				}
				continue
			}
			a := must(NewAggregator(s))
			if err := a.Add(r); err != nil || a.Reports() != 1 {
				t.Errorf("decoded, but not added: %v", err)
			}
			if back, err := s.Decode([]byte(key(r))); err != nil || key(back) != key(r) {
				t.Errorf("report %s comes back as %s, %v", key(r), key(back), err)
			}
		}
	})
}

func BenchmarkReport(b *testing.B) {
	for _, e := range encodings {
		b.Run(string(e), func(b *testing.B) {
			s := must(New(e, 1, letters(64)...))
			c := must(NewClient(s))
			for b.Loop() {
				must(c.Report("a3"))
			}
		})
	}
}
