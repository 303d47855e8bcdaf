package dpkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenWorked is the worked example of a file: public facts, and the price of chains on them.
type goldenWorked struct {
	Params struct {
		N, D, P, T       int
		R, Box, W, Mu    float64
		Delta            float64
		Floor            float64 `json:"rms_floor"`
		Q0               float64
		Lam              float64
		Epsilon          float64 // 1 where it is missing
		ImputableColumns int     // 3 where it is missing
	}
	Pipelines map[string]json.RawMessage
	Others    map[string]json.RawMessage `json:"other_mechanisms"`
	Accuracy  json.RawMessage            `json:"simulated_accuracy"`
}

// goldenPrice is the price of a pipeline.
type goldenPrice struct {
	T1, TF, TI float64
	M          int
	S, A       float64
	Sigma      float64 `json:"sigma_sum"`
	Nominal    float64 `json:"eps_if_nominal"`
	Paper      float64 `json:"weaktri_c2_eps"`
}

func (g goldenHandlers) worked(t *testing.T, raw json.RawMessage) {
	var w goldenWorked
	golden.Decode(t, raw, &w)
	w.Params.Epsilon = cmp.Or(w.Params.Epsilon, 1)
	if w.Params.ImputableColumns == 0 {
		w.Params.ImputableColumns = 3
	}
	p := w.Params
	g.Same(t, "μ", gradient.LogisticLipschitz(p.R*p.W, p.R*p.W), p.Mu)
	g.Near(t, "Q0", min(math.Sqrt2*p.R*p.R, p.Box*math.Sqrt2*p.R), p.Q0)
	prices := map[string]goldenPrice{}
	for name, raw := range w.Pipelines {
		t.Run(name, func(t *testing.T) {
			if name == "naive_t1" {
				var want float64
				golden.Decode(t, raw, &want)
				g.Same(t, "naive recursion", w.naive(t), want)
				return
			}
			var want goldenPrice
			golden.Decode(t, raw, &want)
			prices[name] = want
			g.price(t, w, w.chain(t, name), want)
		})
	}
	for name, raw := range w.Others {
		t.Run(name, func(t *testing.T) { g.other(t, w, name, raw, prices) })
	}
	if w.Accuracy != nil { // of simulated models: no price, but shares of rows by noise factors
		var shares map[string]any
		golden.Decode(t, w.Accuracy, &shares)
		for name, v := range shares {
			byNoise, ok := v.(map[string]any)
			if !ok {
				byNoise = map[string]any{"0": v}
			}
			for factor, share := range byNoise {
				x, ok := share.(float64)
				if _, err := strconv.ParseFloat(factor, 64); err != nil || !ok || !(x >= 0 && x <= 1) {
					t.Errorf("simulated accuracy %s/%s: got %v, want a share at a noise factor", name, factor, share)
				}
			}
		}
	}
}

// start is the pair before any step.
func (w goldenWorked) start(t *testing.T) pair.State {
	t.Helper()
	p, err := pair.Start(w.Params.N, w.Params.R, ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type goldenBounds = func(pair.State) pair.StepBounds

// chain reads a pipeline's name: impute_pcap, impute_floor, or chain_a_b for the capped imputation and then a and b;
// svt0.04 is svt with λ = 0.04, hard0.05 the projector onto 8 directions with that gap. "+private rest"
// displaces nothing.
func (w goldenWorked) chain(t *testing.T, name string) []goldenBounds {
	t.Helper()
	p := w.Params
	impute := func(n0, rows int) goldenBounds {
		omega := math.Sqrt(float64(p.ImputableColumns)) * 2 * p.Box
		return func(s pair.State) pair.StepBounds {
			b := steps.MeanBounds(s, omega, float64(n0), rows, 1)
			b.R = p.R // clipped
			return b
		}
	}
	capped, floored := impute(p.N-p.P, p.P), impute(p.N/2, p.N-1)
	rms := func(s pair.State) pair.StepBounds {
		return steps.RmsBounds(s, steps.Spread{Floor: p.Floor, Gain: p.Floor, Q: p.Q0, Cell: s.R})
	}
	std := func(s pair.State) pair.StepBounds {
		width := 2 * p.Box
		q := min(4*s.R*s.R, width*math.Sqrt2*min(2*s.R, math.Sqrt(float64(p.D))*width))
		b := steps.StdBounds(s, steps.Spread{Floor: p.Floor, Gain: p.Floor, Q: q, Cell: 2 * s.R, Centred: true})
		b.R = s.R // clipped
		return b
	}
	name, _, _ = strings.Cut(name, "+")
	switch name = strings.TrimSpace(name); name {
	case "none":
		return nil
	case "impute_pcap", "impute_only":
		return []goldenBounds{capped}
	case "impute_floor":
		return []goldenBounds{floored}
	case "chain_floor":
		return []goldenBounds{floored, rms, w.filter("svt", p.Lam)}
	}
	var out []goldenBounds
	rest, chained := strings.CutPrefix(name, "chain_")
	if chained {
		out = append(out, capped)
	}
	for part := range strings.SplitSeq(rest, "_") {
		word := strings.TrimRight(part, "0123456789.e-")
		x := p.Lam
		if number := part[len(word):]; number != "" {
			x = must(strconv.ParseFloat(number, 64))
		}
		switch word {
		case "rms":
			out = append(out, rms)
		case "std":
			out = append(out, std)
		case "svt", "tik":
			out = append(out, w.filter(word, x))
		case "hard":
			out = append(out, func(s pair.State) pair.StepBounds { return steps.HardBounds(s, 8, x) })
		default:
			t.Fatalf("pipeline %q: unknown step %q", name, part)
		}
	}
	return out
}

func (w goldenWorked) filter(kind string, lambda float64) goldenBounds {
	return func(s pair.State) pair.StepBounds {
		r2 := s.R * s.R
		if kind == "tik" {
			return steps.SpectralBounds(s, Tikhonov{Lambda: lambda / r2}.Constants(s.R))
		}
		return steps.SpectralBounds(s, SoftThreshold{Lambda: lambda / r2}.Constants(s.R))
	}
}

// naive is the recursion t ← t + n(Δ₂ + H·t) over impute, rms, svt, which the calculus replaces.
func (w goldenWorked) naive(t *testing.T) float64 {
	t.Helper()
	start := w.start(t)
	n := float64(start.N)
	steps := w.chain(t, "chain_rms_svt")
	// The gain of each row by the L12 route alone.
	moved := start
	moved.M, moved.T1, moved.TF, moved.TInf = start.N-1, 1e-9, 1, 1e-9
	tau := steps[0](start).A1
	for _, step := range steps[1:] {
		tau += n * (step(start).AInf + step(moved).HInf/moved.T1*tau)
	}
	return tau
}

func (g goldenHandlers) price(t *testing.T, w goldenWorked, chain []goldenBounds, want goldenPrice) {
	t.Helper()
	p := w.start(t)
	for _, step := range chain {
		var err error
		if p, err = p.Propagate(step(p)); err != nil {
			t.Fatal(err)
		}
	}
	g.Same(t, "t1", p.T1, want.T1)
	g.Same(t, "tF", p.TF, want.TF)
	g.Same(t, "t∞", p.TInf, want.TI)
	if p.M != want.M {
		t.Errorf("m = %d, want %d", p.M, want.M)
	}
	c := w.Params
	total, free, err := pair.Query{C: 1, Lipschitz: c.Mu}.Sensitivity(p)
	if err != nil {
		t.Fatal(err)
	}
	g.Same(t, "S", total, want.S)
	g.Same(t, "A", total/free, want.A)
	rho, err := accountant.RhoFor(accountant.Budget{Epsilon: c.Epsilon, Delta: c.Delta})
	if err != nil {
		t.Fatal(err)
	}
	// Reference values of ε and ρ are the best of a list of orders.
	sigma := total * math.Sqrt(float64(c.T)/(2*rho))
	golden.Within(t, "σ", sigma, want.Sigma, 1e-7, 5e-4)
	epsilon := func(c accountant.Curve) float64 {
		eps, _, err := c.Epsilon(w.Params.Delta)
		if err != nil {
			t.Fatal(err)
		}
		return eps
	}
	curve := func(s float64) accountant.Curve {
		return func(alpha float64) float64 { return alpha * rho * s * s / (free * free) }
	}
	golden.Within(t, "ε at nominal noise", epsilon(curve(total)), want.Nominal, 1e-6, 5e-4)
	golden.Within(t, "ε by the best triangle", epsilon(accountant.WeakTriangle(curve(free), curve(total-free))), want.Nominal, 1e-6, 5e-4)
	golden.Within(t, "ε by the paper's theorem", epsilon(accountant.PaperTheorem2(curve(free), curve(total-free))), want.Paper, 1e-6, 5e-4)
}

// other are mechanisms beside gradient descent.
func (g goldenHandlers) other(t *testing.T, w goldenWorked, name string, raw json.RawMessage, prices map[string]goldenPrice) {
	t.Helper()
	find := func(chain string) goldenPrice {
		for key, pipeline := range map[string]string{"impute": "impute_pcap", "impute>rms>svt": "chain_rms_svt", "impute>std>svt": "chain_std_svt"} {
			if key == chain {
				if p, ok := prices[pipeline]; ok {
					return p
				}
			}
		}
		t.Fatalf("no pipeline for %q", chain)
		return goldenPrice{}
	}
	c := w.Params
	epsilon := func(e accountant.Event) float64 {
		t.Helper()
		got, err := accountant.EpsilonOf(e, ReplaceOne, c.Delta)
		if err != nil {
			t.Fatal(err)
		}
		return got.Epsilon
	}
	switch kind, rest, _ := strings.Cut(name, "_"); kind {
	case "gaussmix": // k rows of least squares, rows (x, y) of norm √2
		k := must(strconv.Atoi(strings.TrimPrefix(rest, "k")))
		at := func(p pair.State, v float64) float64 {
			m, err := pair.GaussMixOn(p, pair.GaussMixOptions{K: k, Noise: v})
			if err != nil {
				t.Fatal(err)
			}
			eps, _, err := must(m.RDP(ReplaceOne)).Epsilon(c.Delta)
			if direct := epsilon(m); err != nil || !(direct <= eps) {
				t.Errorf("ε = %g by the best route, above %g by Rényi divergences (%v)", direct, eps, err)
			}
			return eps
		}
		start := must(pair.Start(c.N, math.Sqrt2*c.R, ReplaceOne))
		var entries map[string]json.RawMessage
		golden.Decode(t, raw, &entries)
		var v0 float64
		golden.Decode(t, entries["v0"], &v0)
		// The reference takes the best of a list of orders, and a grid in place of a maximum.
		golden.Within(t, "ε at v0", at(start, v0), c.Epsilon, 1e-6, 1e-2)
		for chain, raw := range entries {
			switch chain {
			case "v0":
			case "ssp_A":
				var want map[string]float64
				golden.Decode(t, raw, &want)
				for chain, a := range want {
					price := find(chain)
					p := start
					p.M, p.T1, p.TF, p.TInf = c.N-1, price.T1, price.T1, price.T1
					got := must(pair.GramSensitivity(p)) / must(pair.GramSensitivity(start))
					golden.Within(t, "A of the Gram matrix, "+chain, got, a, 1e-4, 1e-4) // printed to four digits
				}
			default:
				var want struct {
					V, Ratio, Eps float64
				}
				var fields map[string]float64
				golden.Decode(t, raw, &fields)
				want.V, want.Ratio, want.Eps = fields["v"], fields["noise_var_ratio"], fields["eps_at_v0"]
				price := find(chain)
				p := start
				p.M, p.T1, p.TF, p.TInf = price.M, price.T1, price.TF, price.TI
				golden.Within(t, chain+": ε at v", at(p, want.V), c.Epsilon, 1e-6, 1e-2)
				golden.Within(t, chain+": ε at v0", at(p, v0), want.Eps, 1e-6, 1e-2)
				g.Near(t, chain+": v/v0", want.V/v0, want.Ratio)
			}
		}
	case "dpsgd": // Poisson sampling at .01, 2000 steps
		var want struct{ S0, Eps float64 }
		golden.Decode(t, raw, &want)
		price := find(rest)
		e := accountant.SubsampledGaussian{C: 1, Sigma: want.S0, Sampling: accountant.PoissonSampling(0.01), Neighbours: ReplaceOne}
		still := epsilon(accountant.Repeat(e, 2000))
		e.Shift = accountant.DisplacedRows{Rows: price.M, Each: c.Mu * price.TI, Total: c.Mu * price.T1}
		// The reference splits the noise and takes whole orders; the library's price is at most that.
		got := epsilon(accountant.Repeat(e, 2000))
		if !(still <= c.Epsilon*(1+1e-3)) || !(got <= want.Eps*(1+1e-3)) || !(got > still) {
			t.Errorf("ε = %g alone and %g displaced, want at most %g and %g", still, got, c.Epsilon, want.Eps)
		}
	case "split": // vs_weak_q_s_α_τ: split, weak triangle, undisplaced; every row moves by τ/1000
		var q, s, alpha, tau float64
		if _, err := fmt.Sscanf(strings.ReplaceAll(rest, "_", " "), "vs weak %g %g %g %g", &q, &s, &alpha, &tau); err != nil {
			t.Fatal(err)
		}
		var want [3]float64
		golden.Decode(t, raw, &want)
		e := accountant.SubsampledGaussian{C: 1, Sigma: s, Sampling: accountant.PoissonSampling(q), Neighbours: ReplaceOne}
		g.AtMost(t, "undisplaced", rdp(t, e, ReplaceOne, alpha), want[2])
		e.Shift = accountant.DisplacedRows{Rows: 100_000, Each: tau / 1000, Total: tau}
		got := rdp(t, e, ReplaceOne, alpha)
		if !(got <= want[0]*(1+1e-3)) || !(got <= want[1]*(1+1e-3)) {
			t.Errorf("displaced: %g, want at most the split %g and the triangle %g", got, want[0], want[1])
		}
	case "objpert": // recorded without its parameters
		var want []float64
		golden.Decode(t, raw, &want)
		for _, x := range want {
			if !(x > 0) {
				t.Errorf("got %v, want a price", x)
			}
		}
	default:
		t.Errorf("no handler for the mechanism %q", name)
	}
}
