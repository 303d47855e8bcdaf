package accountant

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// parameterLaws says of every number in every leaf whether more of it costs more (+1) or less (−1); 0: neither is a law.
func parameterLaws() map[string]int {
	return map[string]int{
		"Gaussian.Sensitivity": 1, "Gaussian.Sigma": -1,
		"DiscreteGaussian.Sensitivity": 1, "DiscreteGaussian.Sigma": -1, "DiscreteGaussian.Coordinates": 1,
		"DiscreteGaussian.GridSigma": 0, // a finer grid is another law
		"Laplace.Sensitivity":        1, "Laplace.Scale": -1,
		"Exponential.Epsilon":  1,
		"RandomizedResponse.K": 0, "RandomizedResponse.Epsilon": 1, // profiles for different K cross
		"PureDP.Epsilon":   1,
		"ApproxDP.Epsilon": 1, "ApproxDP.Delta": 1,
		"ZCDP.Rho": 1,
		"TCDP.Rho": 1, "TCDP.Omega": -1,
		"RDPTable.Orders": -1, "RDPTable.Values": 1,
		"SubsampledGaussian.C": 1, "SubsampledGaussian.Sigma": -1, "SubsampledGaussian.Sampling.Rate": 1,
		// Of the other kind of sampling, and of displaced rows: see TestBatchLaws.
		"SubsampledGaussian.Sampling.Batch": 0, "SubsampledGaussian.Sampling.Rows": 0, "SubsampledGaussian.Sampling.Kind": 0,
		"SubsampledGaussian.Shift.Rows": 0, "SubsampledGaussian.Shift.Each": 0, "SubsampledGaussian.Shift.Total": 0,
		"SGDIteration.C": 1, "SGDIteration.Shift": 1, "SGDIteration.Sigma": -1, "SGDIteration.Steps": -1,
		"SubsampledGroup.C": 1, "SubsampledGroup.Sigma": -1, "SubsampledGroup.Rate": 1, "SubsampledGroup.OneSided": 1,
		"GaussMix.K": 1, "GaussMix.Gamma": -1, "GaussMix.Displacement": 1, "GaussMix.Noise": -1,
		"ModifiedGaussMix.K": 1, "ModifiedGaussMix.Gamma": -1, "ModifiedGaussMix.Eta": -1, "ModifiedGaussMix.Tau": -1,
		"RelativeGaussian.Eta": 1, "RelativeGaussian.Gamma": -1, "RelativeGaussian.Dim": 1, "RelativeGaussian.Matched": -1,
		"ObjectivePerturbation.C": 1, "ObjectivePerturbation.Sigma": -1, "ObjectivePerturbation.Lambda": -1,
		"ObjectivePerturbation.Slope": 1, "ObjectivePerturbation.Curvature": 1, "ObjectivePerturbation.Loss": 0,
		"LogisticPerturbation.C": 1, "LogisticPerturbation.Sigma": -1, "LogisticPerturbation.Lambda": -1,
		"GLMPerturbation.C": 1, "GLMPerturbation.Sigma": -1, "GLMPerturbation.Lambda": -1,
		"GLMPerturbation.Slope": 1, "GLMPerturbation.Curvature": 1,
		// At one threshold more noise hides keys of one person less.
		"GaussianThreshold.Sigma": 0, "GaussianThreshold.Threshold": -1, "GaussianThreshold.Groups": 1, "GaussianThreshold.Values": 1,
		"GaussianThreshold.Rows": 1, "GaussianThreshold.RowsPerGroup": 1, "GaussianThreshold.Cells": 1, "GaussianThreshold.GridSigma": -1,
	}
}

// lawful is storable() with leaves in which no number is idle.
func lawful() map[string]Event {
	all := storable()
	all["ObjectivePerturbation, GLM"] = ObjectivePerturbation{C: 1, Sigma: 4, Lambda: 0.5, Loss: GLM, Slope: 1, Curvature: 0.5, Neighbours: AddRemove}
	all["RelativeGaussian, unmatched"] = RelativeGaussian{Eta: 0.01, Gamma: 0.05, Dim: 3, Matched: 0.9, Neighbours: AddRemove}
	return all
}

// numbers calls visit for each numeric field of a copy of e, nested ones and lists included, with its path.
func numbers(e Event, visit func(path string, field reflect.Value, changed func() Event)) {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	var walk func(path string, f reflect.Value)
	walk = func(path string, f reflect.Value) {
		switch f.Kind() {
		case reflect.Struct:
			for i := range f.NumField() {
				walk(path+"."+f.Type().Field(i).Name, f.Field(i))
			}
		case reflect.Float64, reflect.Int, reflect.Uint8:
			if f.Type() != reflect.TypeFor[Neighbours]() {
				visit(path, f, func() Event { return v.Interface().(Event) })
			}
		case reflect.Slice:
			visit(path, f, func() Event { return v.Interface().(Event) })
		}
	}
	walk(v.Type().Name(), v)
}

// TestMonotoneInEveryParameter: more noise never costs more, more of what it hides never less, in every price and at
// every order. A new leaf or field must say which it is.
func TestMonotoneInEveryParameter(t *testing.T) {
	single.Goroutine(t)
	laws := parameterLaws()
	tested := map[string]bool{}
	all := lawful()
	for _, name := range sortedNames(all) {
		e := all[name]
		numbers(e, func(path string, f reflect.Value, changed func() Event) {
			sign, ok := laws[path]
			if !ok {
				t.Errorf("%s: no law says whether more of it costs more", path)
				return
			}
			tested[path] = tested[path] || sign == 0
			if sign == 0 {
				return
			}
			was := reflect.New(f.Type()).Elem()
			was.Set(f)
			defer f.Set(was)
			for _, factor := range []float64{1.25, 0.8} {
				if !scale(f, was, factor) {
					continue
				}
				other := changed()
				a, errA := EpsilonOf(e, AddRemove, 1e-5)
				b, errB := EpsilonOf(other, AddRemove, 1e-5)
				if errA != nil {
					t.Fatal(errA)
				}
				if errB != nil {
					continue // out of range that way
				}
				tested[path] = true
				up := float64(sign)
				if factor < 1 {
					up = -up
				}
				if up*(b.Epsilon-a.Epsilon) < -1e-9*a.Epsilon {
					t.Errorf("%s: %v costs %.12g, %v costs %.12g", path, e, a.Epsilon, other, b.Epsilon)
				}
				ca, _, errA := approxRDP(e, AddRemove)
				cb, _, errB := approxRDP(other, AddRemove)
				if errA != nil || errB != nil {
					t.Fatal(errA, errB)
				}
				for _, alpha := range []float64{1.01, 1.9, 7, 300} {
					x, y := ca(alpha), cb(alpha)
					if x != y && !(up*(y-x) >= -1e-9*x) {
						t.Errorf("%s, order %g: %v has %.12g, %v has %.12g", path, alpha, e, x, other, y)
					}
				}
			}
		})
	}
	for path := range laws {
		if !tested[path] {
			t.Errorf("%s: no leaf tests the law", path)
		}
	}
}

// scale sets f to was times factor, by at least one for whole numbers; false for a zero.
func scale(f, was reflect.Value, factor float64) bool {
	switch f.Kind() {
	case reflect.Float64:
		f.SetFloat(was.Float() * factor)
		if was.Float() == 0 {
			f.SetFloat(0.1)
			return factor > 1
		}
	case reflect.Int:
		step := max(1, int64(float64(was.Int())/4))
		if factor < 1 {
			step = -step
		}
		f.SetInt(was.Int() + step)
	case reflect.Slice:
		list := slices.Clone(was.Interface().([]float64))
		for i := range list {
			list[i] *= factor
		}
		f.Set(reflect.ValueOf(list))
	default:
		return false
	}
	return true
}

// TestBatchLaws: the laws of the parameters that storable() leaves at zero.
func TestBatchLaws(t *testing.T) {
	base := SubsampledGaussian{C: 1, Sigma: 2, Sampling: BatchSampling(20, 1000), Neighbours: ReplaceOne}
	shifted := SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(0.02), Neighbours: ReplaceOne, Shift: DisplacedRows{Rows: 50, Each: 0.01, Total: 0.4}}
	price := func(s SubsampledGaussian) float64 {
		return must[Guarantee](t)(EpsilonOf(s, ReplaceOne, 1e-5)).Epsilon
	}
	for name, c := range map[string]struct {
		e, more SubsampledGaussian
		change  func(*SubsampledGaussian)
	}{
		"batch": {e: base, change: func(s *SubsampledGaussian) { s.Sampling = BatchSampling(25, 1000) }},
		"rows":  {e: base, change: func(s *SubsampledGaussian) { s.Sampling = BatchSampling(20, 800) }},
		"each":  {e: shifted, change: func(s *SubsampledGaussian) { s.Shift.Each = 0.0125 }},
		"total": {e: shifted, change: func(s *SubsampledGaussian) { s.Shift.Total = 0.5 }},
		"moved": {e: shifted, change: func(s *SubsampledGaussian) { s.Shift.Rows = 60 }},
	} {
		more := c.e
		c.change(&more)
		if a, b := price(c.e), price(more); a > b*(1+1e-9) {
			t.Errorf("%s: %v costs %.12g, %v costs %.12g", name, c.e, a, more, b)
		}
	}
}

// TestEveryBadNumberIsNamed: NaN, a negative number and, where a leaf says so, others, in any field of any leaf, are
// errors that wrap a sentinel and name the field, in every way to price the leaf.
func TestEveryBadNumberIsNamed(t *testing.T) {
	sentinels := []error{ErrParameter, ErrDelta, ErrEpsilon, ErrOrder}
	// What the text says where it is not the field's name.
	says := map[string]string{
		"RDPTable.Orders": "order", "RDPTable.Values": "value",
		"SubsampledGaussian.Sampling.Kind": "sampling", "SubsampledGaussian.Sampling.Batch": "sampling", "SubsampledGaussian.Sampling.Rows": "sampling",
		"SubsampledGaussian.Shift.Rows": "displaced", "SubsampledGaussian.Shift.Each": "displaced", "SubsampledGaussian.Shift.Total": "displaced",
		"SubsampledGroup.OneSided": "one-sided", "DiscreteGaussian.GridSigma": "grid", "GaussianThreshold.GridSigma": "grid", "GaussianThreshold.RowsPerGroup": "rows",
	}
	checked := 0
	all := lawful()
	for _, name := range sortedNames(all) {
		e := all[name]
		numbers(e, func(path string, f reflect.Value, changed func() Event) {
			was := reflect.New(f.Type()).Elem()
			was.Set(f)
			defer f.Set(was)
			var bad []any
			switch f.Kind() {
			case reflect.Float64:
				bad = []any{math.NaN(), -1.0, math.Inf(-1)}
				if path == "ModifiedGaussMix.Tau" { // a standard normal variable's
					bad = []any{math.NaN(), math.Inf(-1)}
				}
			case reflect.Int:
				bad = []any{-1}
			case reflect.Uint8:
				bad = []any{uint8(200)}
			case reflect.Slice:
				bad = []any{[]float64{math.NaN(), 2, 8, 64}, []float64{-1, 2, 8, 64}}
			}
			for _, b := range bad {
				f.Set(reflect.ValueOf(b).Convert(f.Type()))
				other := changed()
				want, ok := says[path]
				if !ok {
					want = path[strings.LastIndex(path, ".")+1:]
				}
				_, err1 := EpsilonOf(other, AddRemove, 1e-6)
				_, err2 := DeltaOf(Repeat(Compose(other), 2), AddRemove, 1)
				_, err3 := other.RDP(AddRemove)
				for i, err := range []error{err1, err2, err3} {
					checked++
					if !slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) }) ||
						!strings.Contains(strings.ToLower(fmt.Sprint(err)), strings.ToLower(want)) {
						t.Errorf("%s = %v, way %d: got %v, want an error with a sentinel that says %q", path, b, i+1, err, want)
					}
				}
			}
		})
		// No relation, and the other one.
		if f := reflect.ValueOf(e).FieldByName("Neighbours"); f.IsValid() {
			for _, rel := range []Neighbours{0, 3, ReplaceOne} {
				v := reflect.New(reflect.TypeOf(e)).Elem()
				v.Set(reflect.ValueOf(e))
				v.FieldByName("Neighbours").Set(reflect.ValueOf(rel))
				if _, err := EpsilonOf(v.Interface().(Event), AddRemove, 1e-6); !errors.Is(err, ErrNeighbours) {
					t.Errorf("%s of the relation %v: got %v, want ErrNeighbours", name, rel, err)
				}
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d errors were checked", checked)
	}
}

// TestEveryCalibratorNamesItsBudget: a bad ε or δ is an error that wraps the sentinel and names it.
func TestEveryCalibratorNamesItsBudget(t *testing.T) {
	mix := func(b Budget) error { _, err := CalibrateGaussMix(b, 10, AddRemove); return err }
	calibrators := map[string]func(Budget) error{
		"CalibrateGaussian":   func(b Budget) error { _, err := CalibrateGaussian(b); return err },
		"CalibrateGaussianTV": func(b Budget) error { _, err := CalibrateGaussianTV(b, 1e-12); return err },
		"CalibrateShared":     func(b Budget) error { _, err := CalibrateShared(b); return err },
		"CalibrateLaplace":    func(b Budget) error { _, err := CalibrateLaplace(b); return err },
		"CalibrateGaussMix":   mix,
		"Calibrate": func(b Budget) error {
			_, _, err := Calibrate(b, AddRemove, func(x float64) Event { return Gaussian{1, x, AddRemove} }, 1e-3, 1e3)
			return err
		},
		"CalibratePLD": func(b Budget) error {
			_, err := CalibratePLD(b, AddRemove, func(x float64) Event { return Gaussian{1, x, AddRemove} }, CalibratePLDOptions{})
			return err
		},
		"CalibrateObjectivePerturbation": func(b Budget) error {
			_, err := CalibrateObjectivePerturbation(b, ObjectivePerturbation{C: 1, Neighbours: AddRemove})
			return err
		},
		"CalibrateRelativeGaussian": func(b Budget) error {
			_, err := CalibrateRelativeGaussian(b, RelativeGaussian{Eta: 1e-3, Dim: 3, Matched: 1, Neighbours: AddRemove}, 1)
			return err
		},
		"CalibrateSGD": func(b Budget) error {
			_, err := CalibrateSGD(b, SGDPlan{C: 1, Sampling: PoissonSampling(0.01), Steps: 10, Neighbours: AddRemove})
			return err
		},
		"CalibrateSGDRate": func(b Budget) error {
			_, err := CalibrateSGDRate(b, SGDPlan{C: 1, Sigma: 1, Sampling: PoissonSampling(0), Steps: 10, Neighbours: AddRemove})
			return err
		},
		"CalibrateSGDSteps": func(b Budget) error {
			_, err := CalibrateSGDSteps(b, SGDPlan{C: 1, Sigma: 1, Sampling: PoissonSampling(0.01), Neighbours: AddRemove})
			return err
		},
		"RDPFor": func(b Budget) error { _, err := RDPFor(b, 1e4); return err },
		"RhoFor": func(b Budget) error { _, err := RhoFor(b); return err },
	}
	nan, inf := math.NaN(), math.Inf(1)
	for name, calibrate := range calibrators {
		if err := calibrate(Budget{1, 1e-5}); err != nil {
			t.Errorf("%s: a good budget: %v", name, err)
		}
		for _, b := range []Budget{{0, 1e-5}, {-1, 1e-5}, {nan, 1e-5}, {inf, 1e-5}} {
			if err := calibrate(b); !errors.Is(err, ErrEpsilon) || !strings.Contains(fmt.Sprint(err), "epsilon") {
				t.Errorf("%s, %+v: got %v, want ErrEpsilon that names epsilon", name, b, err)
			}
		}
		for _, b := range []Budget{{1, 0}, {1, -1}, {1, 1}, {1, nan}, {1, inf}} {
			if name == "CalibrateLaplace" && b.Delta == 0 {
				continue // it may be pure
			}
			if err := calibrate(b); !errors.Is(err, ErrDelta) || !strings.Contains(fmt.Sprint(err), "delta") {
				t.Errorf("%s, %+v: got %v, want ErrDelta that names delta", name, b, err)
			}
		}
	}
}

// TestExactProfilesAreNotBeaten: where a leaf has the exact profile of a pair of laws, the conversion of its curve, another
// derivation from the same pair, never promises less δ.
func TestExactProfilesAreNotBeaten(t *testing.T) {
	all := map[string]Event{
		"sketch":               GaussMix{K: 20, Gamma: 40, Noise: 39, Neighbours: AddRemove},
		"sketch, replace-one":  AsReplaceOne(GaussMix{K: 20, Gamma: 40, Noise: 39, Neighbours: AddRemove}),
		"sketches":             Repeat(GaussMix{K: 5, Gamma: 40, Noise: 39, Neighbours: AddRemove}, 4),
		"Gaussians by another": Compose(addGauss(0.3), addGauss(0.4)),
	}
	for _, name := range []string{"Gaussian", "DiscreteGaussian", "Laplace", "Exponential", "RandomizedResponse", "RandomizedResponse7", "PureDP"} {
		all[name] = storable()[name]
		all[name+", five"] = Repeat(storable()[name], 5)
	}
	for _, name := range sortedNames(all) {
		e, rel := all[name], AddRemove
		if strings.HasSuffix(name, "replace-one") {
			rel = ReplaceOne
		}
		profile, err := profileOf(e, rel)
		if optional(err) == nil && err != nil {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		curve := curveOf(t, e, rel)
		ratio := math.Inf(1)
		for _, eps := range []float64{0, 0.1, 0.4, 1, 2.5} {
			byCurve, _, err := curve.Delta(eps)
			if err != nil {
				t.Fatal(err)
			}
			exact := profile(eps)
			if byCurve < exact*(1-1e-9) {
				t.Errorf("%s at ε = %g: the curve promises δ = %g, the exact one is %g", name, eps, byCurve, exact)
			}
			if exact > 1e-12 {
				ratio = min(ratio, byCurve/exact)
			}
		}
		if ratio > 100 && !math.IsInf(ratio, 1) {
			t.Errorf("%s: the curve's δ is %g times the exact one at best", name, ratio)
		}
	}
}
