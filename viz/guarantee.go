package viz

import (
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
)

// Guarantee shows what a release promises: ε, δ, the relation, the scope and the accounting route.
func Guarantee(g accountant.Guarantee) View {
	return View{title: "Guarantee", blocks: append(scopeBanners(g), guaranteeFacts(g))}
}

func guaranteeFacts(g accountant.Guarantee) facts {
	return facts{
		{Name: "ε", Value: up(g.Epsilon)},
		{Name: "δ", Value: up(g.Delta)},
		{Name: "neighbours", Value: relationWords(g.Neighbours), Alarm: g.Neighbours.Validate() != nil},
		{Name: "scope", Value: scopeWords(g.Scope), Alarm: weak(g.Scope)},
		{Name: "route", Value: orDash(clean(g.Route))},
	}
}

// relationWords names the relation where there is room to say what it is often taken for and is not.
func relationWords(r accountant.Neighbours) string {
	if r == accountant.AddRemove {
		return r.String() + ": one row is zeroed out, the number of rows stays public"
	}
	return r.String()
}

// guaranteeLine is the guarantee in one line. Only a complete one is called DP.
func guaranteeLine(g accountant.Guarantee) string {
	s := "(ε = " + up(g.Epsilon) + ", δ = " + up(g.Delta) + ")"
	if complete(g) {
		s += "-DP"
	} else {
		s += ", not a guarantee"
	}
	return s + ", " + g.Neighbours.String() + ", " + scopeWords(g.Scope)
}

func complete(g accountant.Guarantee) bool {
	return g.Neighbours.Validate() == nil && g.Scope.Validate() == nil
}

// scopeBanners are the warnings that belong above a guarantee.
func scopeBanners(g accountant.Guarantee) []block {
	switch {
	case !complete(g):
		return []block{banner{"NOT A GUARANTEE", "relation: " + g.Neighbours.String() + ", scope: " + scopeWords(g.Scope)}}
	case g.Scope.Kind == accountant.Conditional:
		return []block{banner{"CONDITIONAL", conditionalWords(g.Scope)}}
	default:
		return nil
	}
}

func conditionalWords(s accountant.Scope) string {
	return "this holds only between datasets that satisfy: " + strings.Join(cleanAll(s.On), "; ")
}

// weak reports whether a scope must stand out.
func weak(s accountant.Scope) bool {
	return s.Kind == accountant.Conditional || s.Validate() != nil
}

// scopeWords is the scope in words; those of a Conditional one begin in capitals.
func scopeWords(s accountant.Scope) string {
	w := clean(s.String())
	if rest, ok := strings.CutPrefix(w, "conditional"); ok {
		return "CONDITIONAL" + rest
	}
	return w
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
