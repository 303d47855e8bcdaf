package accountant

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// InWords says for people what an event's mechanism is: "Gaussian noise, 84.9 times the sensitivity, in 206 steps". It is shorter than the
// event's String, which has what an accountant needs. The noise is in units of the sensitivity: its standard deviation, the scale of
// a Laplace law.
func InWords(e Event) string {
	switch e := e.(type) {
	case nil:
		return ""
	case composition:
		return composedWords(e)
	case repetition:
		return inSteps(InWords(e.of), e.n)
	case grouped:
		return InWords(e.of)
	case replaced:
		return InWords(e.of)
	case gaussianCovered:
		return InWords(e.of)
	case stated:
		return InWords(e.of)
	case routed:
		return e.name
	}
	return leafWords(e)
}

// composedWords lists what differs among the parts, each with the number of steps where it is more than one. The means of accounting are left
// out: a failure that a part is covered outside of.
func composedWords(c composition) string {
	var words []string
	steps := map[string]int{}
	add := func(w string, n int) {
		if w == "" {
			return
		}
		if steps[w] == 0 {
			words = append(words, w)
		}
		steps[w] += n
	}
	for _, part := range flat(c, nil) {
		if _, failure := part.(ApproxDP); failure && len(c.parts) > 1 {
			continue
		}
		if r, ok := part.(repetition); ok && r.n > 0 {
			add(InWords(r.of), r.n)
			continue
		}
		add(InWords(part), 1)
	}
	for i, w := range words {
		words[i] = inSteps(w, steps[w])
	}
	const most = 4
	if len(words) > most {
		words = append(words[:most], fmt.Sprintf("%d more", len(words)-most))
	}
	return strings.Join(words, "; ")
}

// inSteps says of words how often what they say is done.
func inSteps(words string, n int) string {
	if n == 1 {
		return words
	}
	return fmt.Sprintf("%s, in %d steps", words, n)
}

func leafWords(e Event) string {
	noise := func(law string, scale, of float64) string {
		return fmt.Sprintf("%s noise, %.3g times the sensitivity", law, scale/of)
	}
	switch e := e.(type) {
	case Gaussian:
		return noise("Gaussian", e.Sigma, e.Sensitivity)
	case DiscreteGaussian:
		return noise("Gaussian", e.Sigma, e.Sensitivity)
	case SubsampledGaussian:
		return noise("Gaussian", e.Sigma, e.C) + " on a sample of the rows"
	case SGDIteration:
		return "Gaussian noise on each step over a batch, only the last iterate released"
	case RelativeGaussian:
		return "Gaussian noise in proportion to the data's own spread"
	case GaussianThreshold:
		return fmt.Sprintf("Gaussian noise of %.3g people, keys of fewer than %.4g left out", e.Sigma, e.Threshold)
	case Laplace:
		return noise("Laplace", e.Scale, e.Sensitivity)
	case Exponential:
		return "exponential mechanism"
	case RandomizedResponse:
		return "randomized response"
	case GaussMix, ModifiedGaussMix:
		return "Gaussian mixing of the rows"
	case GLMPerturbation, LogisticPerturbation, ObjectivePerturbation:
		return "a random term in the objective that the fit minimises"
	case SubsampledGroup:
		return "a mechanism on a sample of the rows"
	case PureDP:
		return "a mechanism of pure differential privacy"
	case ApproxDP:
		return "a mechanism of approximate differential privacy"
	case ZCDP, TCDP, RDPTable:
		return "a mechanism known by its Rényi curve"
	case NonPrivate:
		return "no privacy"
	}
	return clipped(fmt.Sprint(e))
}

// clipped is text of an event of another package's, not longer than a line of a table.
func clipped(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
