package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/sanitize"
)

// htmlCosts is the summary of a notebook's releases for the top of its page, "" where there are none.
func htmlCosts(s costSummary) string {
	if len(s.releases) == 0 && len(s.ledgers) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<section class=\"costs\" aria-labelledby=\"nb:costs\">\n<p id=\"nb:costs\"><strong>Privacy cost of this notebook</strong></p>\n")
	if len(s.releases) > 0 {
		b.WriteString("<div class=\"table\" role=\"region\" aria-label=\"Releases\" tabindex=\"0\"><table>\n<thead><tr>")
		for _, head := range []string{"dataset", "release", "ε", "δ", "neighbours", "scope", "how"} {
			b.WriteString("<th scope=\"col\">" + head + "</th>")
		}
		b.WriteString("</tr></thead>\n<tbody>\n")
		for _, r := range s.releases {
			b.WriteString(r.row())
		}
		b.WriteString("</tbody></table></div>\n")
	}
	for _, l := range s.ledgers {
		noun := "releases"
		if l.Releases == 1 {
			noun = "release"
		}
		fmt.Fprintf(&b, "<p>Ledger of %s: spent ε ≤ %s of %s at δ = %s, %d %s in all.</p>\n",
			htmlOr(l.Dataset), htmlNumber(l.Spent), htmlNumber(l.Epsilon), htmlNumber(l.Delta), l.Releases, noun)
	}
	b.WriteString("</section>\n")
	return b.String()
}

// row is one line of the table.
func (r *releaseCost) row() string {
	name := htmlOr(r.Name)
	if r.Event != "" {
		name += "<br><small>" + sanitize.Escape(r.Event) + "</small>"
	}
	epsilon, delta, scope, how := htmlNumber(r.Epsilon), htmlNumber(r.Delta), htmlOr(r.Scope), sanitize.Escape(r.how())
	if r.NotPrivate != "" {
		epsilon, delta, scope, how = "–", "–", "none", "<strong>NOT PRIVATE</strong>: "+sanitize.Escape(r.NotPrivate)
	}
	return fmt.Sprintf("<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
		htmlOr(r.dataset()), name, epsilon, delta, htmlOr(r.Neighbours), scope, how)
}

// how says where the release was charged, and where its stored value came back for nothing.
func (r *releaseCost) how() string {
	var parts []string
	if len(r.charged) > 0 {
		parts = append(parts, "charged in "+cellList(r.charged))
	}
	if len(r.replayed) > 0 {
		s := "replayed in " + cellList(r.replayed)
		if when := r.when(); len(r.charged) == 0 && when != "" {
			s += ", charged " + when
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

func cellList(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = fmt.Sprint(n)
	}
	if len(numbers) == 1 {
		return "cell " + words[0]
	}
	return "cells " + strings.Join(words, ", ")
}

func htmlOr(s string) string {
	if strings.TrimSpace(s) == "" {
		return "–"
	}
	return sanitize.Escape(s)
}

func htmlNumber(n json.Number) string { return htmlOr(n.String()) }
