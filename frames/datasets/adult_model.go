package datasets

import (
	"math"
	"math/rand/v2"
)

// The model. Weights are per cent, rounded, of the marginals that descriptions of UCI Adult
// publish; the conditional tables and the coefficients are round numbers chosen by hand so that
// the label's rate and the accuracy of a logistic regression come out as they do on the file.
// The tables are constants.

type weighted struct {
	name   string
	weight float64
}

func (w weighted) mass() float64 { return w.weight }

type ageBand struct {
	lo, hi int
	weight float64
	// share of married people among men and women, and of never-married among the others
	men, women, never float64
}

func (b ageBand) mass() float64 { return b.weight }

var (
	sexes    = []weighted{{"Male", 67}, {"Female", 33}}
	ageBands = []ageBand{
		{17, 24, 17, 0.12, 0.06, 0.97},
		{25, 34, 26, 0.52, 0.14, 0.72},
		{35, 44, 25, 0.70, 0.18, 0.35},
		{45, 54, 18, 0.78, 0.20, 0.20},
		{55, 64, 9.5, 0.80, 0.18, 0.15},
		{65, 74, 3.6, 0.78, 0.14, 0.12},
		{75, 90, 0.9, 0.70, 0.08, 0.12},
	}
	educations = []weighted{ // by education-num, from 1
		{"Preschool", 0.2},
		{"1st-4th", 0.5},
		{"5th-6th", 1},
		{"7th-8th", 2},
		{"9th", 1.6},
		{"10th", 2.9},
		{"11th", 3.6},
		{"12th", 1.3},
		{"HS-grad", 32.3},
		{"Some-college", 22.4},
		{"Assoc-voc", 4.2},
		{"Assoc-acdm", 3.3},
		{"Bachelors", 16.4},
		{"Masters", 5.3},
		{"Prof-school", 1.8},
		{"Doctorate", 1.3},
	}
	races       = []weighted{{"White", 85.4}, {"Black", 9.6}, {"Asian-Pac-Islander", 3.2}, {"Amer-Indian-Eskimo", 1}, {"Other", 0.8}}
	workclasses = []weighted{
		{"Private", 69.7},
		{"Self-emp-not-inc", 7.8},
		{"Local-gov", 6.4},
		{"?", 5.6},
		{"State-gov", 4},
		{"Self-emp-inc", 3.4},
		{"Federal-gov", 2.9},
		{"Without-pay", 0.04},
		{"Never-worked", 0.02},
	}
	countries = []weighted{
		{"United-States", 89.6},
		{"Mexico", 2},
		{"?", 1.8},
		{"Philippines", 0.6},
		{"Germany", 0.4},
		{"Canada", 0.4},
		{"Puerto-Rico", 0.35},
		{"El-Salvador", 0.3},
		{"India", 0.3},
		{"Cuba", 0.3},
		{"England", 0.3},
		{"Jamaica", 0.25},
		{"South", 0.25},
		{"China", 0.25},
		{"Italy", 0.2},
		{"Dominican-Republic", 0.2},
		{"Vietnam", 0.2},
		{"Guatemala", 0.2},
		{"Japan", 0.2},
		{"Poland", 0.2},
		{"Columbia", 0.2},
		{"Taiwan", 0.15},
		{"Haiti", 0.15},
		{"Iran", 0.15},
		{"Portugal", 0.1},
		{"Nicaragua", 0.1},
		{"Peru", 0.1},
		{"France", 0.1},
		{"Greece", 0.1},
		{"Ecuador", 0.1},
		{"Ireland", 0.1},
		{"Hong", 0.06},
		{"Cambodia", 0.06},
		{"Trinadad&Tobago", 0.06},
		{"Laos", 0.06},
		{"Thailand", 0.06},
		{"Yugoslavia", 0.05},
		{"Outlying-US(Guam-USVI-etc)", 0.04},
		{"Honduras", 0.04},
		{"Hungary", 0.04},
		{"Scotland", 0.04},
		{"Holand-Netherlands", 0.01},
	}
	// occupations: share among people without college, with some, with a degree; factor for
	// women; effect on the log-odds.
	occupations = []job{
		{"Prof-specialty", 2, 6, 38, 1.1, 0.5},
		{"Craft-repair", 22, 20, 4, 0.15, 0.1},
		{"Exec-managerial", 5, 12, 25, 0.9, 0.8},
		{"Adm-clerical", 4, 10, 6, 3, 0.1},
		{"Sales", 8, 12, 13, 1, 0.3},
		{"Other-service", 15, 8, 2.5, 2, -0.8},
		{"Machine-op-inspct", 15, 8, 1, 0.7, -0.2},
		{"Transport-moving", 11, 8, 1, 0.15, -0.1},
		{"Handlers-cleaners", 10, 6, 0.7, 0.3, -0.7},
		{"Farming-fishing", 8, 4, 1.3, 0.15, -1},
		{"Tech-support", 0.5, 3.5, 3.5, 1.2, 0.6},
		{"Protective-serv", 1.5, 3.2, 1.6, 0.3, 0.5},
		{"Priv-house-serv", 0.5, 0.1, 0.05, 8, -1.5},
		{"Armed-Forces", 0.03, 0.03, 0.03, 0.1, 0},
	}
)

type job struct {
	name                    string
	school, college, degree float64
	women, effect           float64
}

func drawMarital(r *rand.Rand, p person) string {
	b := bandOf(p.age)
	married := b.men
	if p.sex == "Female" {
		married = b.women
	}
	switch u := r.Float64(); {
	case u < married*0.999:
		return "Married-civ-spouse"
	case u < married:
		return "Married-AF-spouse"
	case r.Float64() < b.never:
		return "Never-married"
	}
	widowed := 5.0
	if p.age >= 55 {
		widowed = 60
	}
	return draw(r, []weighted{{"Divorced", 70}, {"Separated", 16}, {"Widowed", widowed}, {"Married-spouse-absent", 7}})
}

func bandOf(age int) ageBand {
	for _, b := range ageBands {
		if age <= b.hi {
			return b
		}
	}
	return ageBands[len(ageBands)-1]
}

func (p person) married() bool {
	return p.marital == "Married-civ-spouse" || p.marital == "Married-AF-spouse"
}

func drawRelationship(r *rand.Rand, p person) string {
	switch {
	case p.married() && p.sex == "Male":
		return draw(r, []weighted{{"Husband", 98}, {"Other-relative", 1}, {"Own-child", 1}})
	case p.married():
		return draw(r, []weighted{{"Wife", 95}, {"Other-relative", 3}, {"Own-child", 2}})
	case p.marital == "Never-married" && p.age < 25:
		return draw(r, []weighted{{"Own-child", 63}, {"Not-in-family", 24}, {"Other-relative", 7}, {"Unmarried", 6}})
	case p.marital == "Never-married":
		return draw(r, []weighted{{"Own-child", 22}, {"Not-in-family", 61}, {"Other-relative", 5}, {"Unmarried", 12}})
	}
	return draw(r, []weighted{{"Not-in-family", 54}, {"Unmarried", 38}, {"Own-child", 5}, {"Other-relative", 3}})
}

// drawOccupation leaves the occupation open where the workclass is, as in the file.
func drawOccupation(r *rand.Rand, p person) string {
	if p.workclass == "?" || p.workclass == "Never-worked" {
		return "?"
	}
	w := make([]weighted, len(occupations))
	for i, o := range occupations {
		share := o.school
		switch {
		case p.education >= 13:
			share = o.degree
		case p.education >= 9:
			share = o.college
		}
		if p.sex == "Female" {
			share *= o.women
		}
		w[i] = weighted{o.name, share}
	}
	return draw(r, w)
}

func drawHours(r *rand.Rand, p person) int {
	full := 0.86
	switch {
	case p.age < 22 || p.age > 65:
		full = 0.4
	case p.sex == "Female":
		full = 0.8
	}
	if r.Float64() > full {
		return 5 + r.IntN(34)
	}
	if r.Float64() < 0.6 {
		return 40
	}
	return int(clamp(math.Round(49+9*r.NormFloat64()), 35, 99))
}

// drawCapital draws a net gain (8 % of people), else a net loss (5 %), in dollars.
func drawCapital(r *rand.Rand, p *person) {
	older := clamp(float64(p.age-20)/25, 0.2, 1.3)
	switch u := r.Float64(); {
	case u < 0.002*older:
		p.gain = 99999 // top code
	case u < 0.1*older:
		p.gain = int(clamp(math.Exp(8.4+0.9*r.NormFloat64()), 100, 50000))
	case u < 0.16*older:
		p.loss = int(clamp(1850+350*r.NormFloat64(), 150, 4400))
	}
}

// logOdds is the log-odds of ">50K".
func logOdds(p person) float64 {
	x := -9.1 + 0.33*float64(p.education) + 0.028*float64(min(p.age, 65)) + 0.032*float64(p.hours)
	x += 0.0004*float64(p.gain) + 0.0006*float64(p.loss)
	if p.married() {
		x += 2.6
	}
	if p.sex == "Male" {
		x += 0.2
	}
	switch p.workclass {
	case "?", "Never-worked", "Without-pay":
		x -= 0.7
	case "Self-emp-inc", "Federal-gov":
		x += 0.4
	case "Self-emp-not-inc":
		x -= 0.4
	}
	for _, o := range occupations {
		if o.name == p.occupation {
			x += o.effect
		}
	}
	return x
}
