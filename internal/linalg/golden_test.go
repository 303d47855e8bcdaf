package linalg

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// TestGolden checks the group samplers: what the samplers do with given draws (numpy).
func TestGolden(t *testing.T) {
	path := golden.Files(t, "mechanisms")[0]
	group, ok := golden.Groups(t, golden.Read(t, path))["samplers"]
	if !ok {
		t.Fatalf("%s: no group samplers", path)
	}
	var s struct {
		Sigma, Chol [][]float64
		A           [][]float64 `json:"bartlett_A"`
		W           [][]float64
		T           struct {
			K, D     int
			Ridge, G []float64
			V        float64 `json:"resid_var"`
			Chi      float64 `json:"chi2_k_minus_d_plus_1"`
			Theta    []float64
			Cov      [][]float64 `json:"cov_formula"`
		} `json:"theta_t_sampler"`
	}
	if err := json.Unmarshal(group, &s); err != nil {
		t.Fatal(err)
	}
	n := len(s.Sigma)
	if n == 0 {
		t.Fatalf("%s: no matrix", path)
	}
	l, err := Cholesky(flat(s.Sigma), n)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "factor", l, flat(s.Chol))
	w, err := Wishart(l, flat(s.A), n)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "W", w, flat(s.W))
	theta, err := StudentT(l, s.T.G, s.T.Chi, n)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "theta", theta, s.T.Theta)
	ridge, err := StudentT(l, make([]float64, n-1), 1, n)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ridge", ridge, s.T.Ridge)
	near(t, "residual variance", []float64{l[n*n-1] * l[n*n-1]}, []float64{s.T.V})
	// Cov θ = v E[1/χ] (L_xx L_xxᵀ)⁻¹, E[1/χ] = 1/(k − d − 1): column j is the move by a unit g_j at v/χ = E.
	d := n - 1
	if s.T.D != d || len(s.T.Cov) != d {
		t.Fatalf("got %d features, want %d", s.T.D, d)
	}
	cov := make([]float64, d*d)
	for j := range d {
		g := make([]float64, d)
		g[j] = 1
		move, err := StudentT(l, g, float64(s.T.K-d-1), n)
		if err != nil {
			t.Fatal(err)
		}
		for a := range d {
			for b := range d {
				cov[a*d+b] += (move[a] - ridge[a]) * (move[b] - ridge[b])
			}
		}
	}
	near(t, "covariance", cov, flat(s.T.Cov))
}

func flat(rows [][]float64) (a []float64) {
	for _, r := range rows {
		a = append(a, r...)
	}
	return a
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: got %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= 1e-13*(1+math.Abs(want[i]))) {
			t.Errorf("%s: number %d: got %.17g, want %.17g", what, i, v, want[i])
		}
	}
}
