package viz

import (
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
)

// cumulative95 says what the band is.
const cumulative95 = "The band holds " + exactNumber + " up to each period with probability 95 % each; it covers the privacy noise, of which that of one period is in the later ones too."

// Cumulative shows a released series as a line with a band for each statistic, of up to 400 periods, and as a table of its first ones, with what a later
// period costs. The picture says what the release promises.
func Cumulative(s dpkit.Series) View {
	parts := s
	parts.Provenance = dpkit.Provenance{} // an unsound promise stands out by itself
	if parts.Check() != nil {
		return View{title: "Series", blocks: []block{para{"This series is incomplete: its periods, numbers and noise do not fit together."}}}.promising(s.Provenance)
	}
	g := grouped{Table: dpkit.Table{By: []string{s.By}, Ordered: []string{s.By}}}
	for _, p := range s.Periods {
		g.Groups = append(g.Groups, []string{p})
	}
	for _, of := range s.Of {
		cells, err := s.Column(of.String(), 0.95)
		if err != nil {
			continue
		}
		g.stats = append(g.stats, grouping{name: "cumulative " + clean(of.String()), of: of.Of, cells: cells, unknown: make([]bool, len(cells))})
	}
	notes := []string{exactOf(s.Provenance, cumulative95)}
	if later := s.Later(); later != "" {
		notes = append(notes, strings.ToUpper(later[:1])+later[1:]+".")
	}
	title := strings.TrimPrefix(g.title(), "Released table: ")
	v := View{title: strings.ToUpper(title[:1]) + title[1:], blocks: []block{para{strings.Join(notes, " ")}}}
	v.blocks = append(v.blocks, g.table()...)
	if panels := g.lines(); len(panels) > 0 {
		v.fig = &figure{Title: v.title, Notes: notes, Panels: panels}
		v.alt = "Line chart. " + v.title + ". " + strings.Join(notes, " ") + g.alt()
	}
	return v.promising(s.Provenance)
}
