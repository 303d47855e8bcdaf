package viz

import "github.com/dpkit-go/dpnb/dpkit"

// Provenance shows where a model came from, as it says itself: the release, and its guarantee or why there is none. Of a
// model that was read from a file the word is that of whoever wrote it.
func Provenance(p dpkit.Provenance) View {
	v := View{title: "Provenance of the model"}
	release := facts{{Name: "release", Value: orDash(clean(p.Release))}}
	switch {
	case p.NotPrivate != "":
		v.blocks = []block{banner{"NOT PRIVATE", clean(p.NotPrivate)}, append(release, fact{Name: "guarantee", Value: "none", Alarm: true})}
	case p.Guarantee == nil:
		v.blocks = []block{banner{"NOT A GUARANTEE", "the model does not say how it came about"}, append(release, fact{Name: "guarantee", Value: "none", Alarm: true})}
	default:
		v.blocks = append(scopeBanners(*p.Guarantee), append(release, guaranteeFacts(*p.Guarantee)...))
	}
	return v
}
