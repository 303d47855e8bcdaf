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
	f := facts{
		{Name: "ε", Value: up(g.Epsilon)},
		{Name: "δ", Value: up(g.Delta)},
	}
	f = append(f, unitFact(g.Unit)...)
	return append(f, facts{
		{Name: "neighbours", Value: relationWords(g.Neighbours, g.Unit), Alarm: g.Neighbours.Validate() != nil},
		{Name: "scope", Value: scopeWords(g.Scope), Alarm: weak(g.Scope)},
		{Name: "route", Value: orDash(clean(g.Route))},
	}...)
}

// unitFact says whom a guarantee protects, where that is not a row.
func unitFact(u accountant.Unit) facts {
	switch {
	case u == accountant.PerRow:
		return nil
	case u.Validate() != nil:
		return facts{{Name: "protects", Value: u.String(), Alarm: true}}
	}
	return facts{{Name: "protects", Value: "each " + u.String() + ", with all of their rows"}}
}

// relationWords names the relation where there is room to say what it is often taken for and is not.
func relationWords(r accountant.Neighbours, u accountant.Unit) string {
	switch {
	case r != accountant.AddRemove:
		return r.String()
	case u == accountant.PerPerson:
		return r.String() + ": the rows of one person are zeroed out, the number of people stays public"
	case u != accountant.PerRow:
		return r.String() + ": all rows of one " + u.String() + " are zeroed out, the number of people stays public"
	}
	return r.String() + ": one row is zeroed out, the number of rows stays public"
}

// guaranteeLine is the guarantee in one line. Only a complete one is called DP.
func guaranteeLine(g accountant.Guarantee) string {
	s := "(ε = " + up(g.Epsilon) + ", δ = " + up(g.Delta) + ")"
	if complete(g) {
		s += "-DP"
		if g.Unit != accountant.PerRow {
			s += " per " + g.Unit.String()
		}
	} else {
		s += ", not a guarantee"
	}
	return s + ", " + g.Neighbours.String() + ", " + scopeWords(g.Scope)
}

func complete(g accountant.Guarantee) bool {
	return g.Neighbours.Validate() == nil && g.Scope.Validate() == nil && g.Unit.Validate() == nil
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
