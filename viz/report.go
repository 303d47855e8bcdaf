package viz

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// PrivacyView shows a person what a release can have cost them ([pdp.Bounds.At]), beside the ε that everybody was
// promised. It is for the owner of the record alone: the views of all rows of a private table are not for release.
func PrivacyView(v pdp.View) View {
	total := v.Total()
	p := barPanel{Axis: "privacy loss, nats"}
	add := func(label string, at float64, colour uint32) {
		p.Bars = append(p.Bars, bar{Label: label, End: up(at), Spans: []span{{To: finite(at), Color: theme.RGB(colour)}}})
	}
	if v.Report > 0 {
		add("yours, by the model, at most", v.Model, theme.SkyBlue)
		add("yours, by the report, at most", v.Report, theme.SkyBlue)
		add("yours, together, at most", total, theme.Blue)
	} else {
		add("yours, at most", v.Model, theme.Blue)
	}
	promised := "Nothing was promised to everybody."
	if v.Worst > 0 {
		add("promised to everybody", v.Worst, theme.Orange)
		promised = fmt.Sprintf("Everybody was promised ε = %s.", up(v.Worst))
	}
	each := ""
	if v.Report > 0 {
		each = " Each of the bounds holds with that probability by itself."
	}
	title := "What this release can have cost you"
	note := fmt.Sprintf("Your privacy loss is at most %s, with probability %.6g (for %v). %s", up(total), 1-v.Rho, v.Who, promised) + each
	if v.Worst > 0 && total > v.Worst {
		note += " The promise is the lower of the two: it holds for you as well, up to its δ."
	}
	return View{
		title: title, fig: &figure{Title: title, Notes: []string{note}, Panels: []panel{p}},
		blocks: []block{para{note}, p.grid()},
		alt:    "Horizontal bar chart. " + title + ". " + note,
	}
}
