package accountant

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestInWords(t *testing.T) {
	gauss := Gaussian{Sensitivity: 1, Sigma: 2.5, Neighbours: AddRemove}
	for name, c := range map[string]struct {
		e    Event
		want string
	}{
		"nothing":     {nil, ""},
		"Gaussian":    {gauss, "Gaussian noise, 2.5 times the sensitivity"},
		"repeated":    {Repeat(gauss, 7), "Gaussian noise, 2.5 times the sensitivity, in 7 steps"},
		"composed":    {Compose(gauss, gauss, PureDP{Epsilon: 1, Neighbours: AddRemove}), "Gaussian noise, 2.5 times the sensitivity, in 2 steps; a mechanism of pure differential privacy"},
		"a hundred":   {Compose(slices.Repeat([]Event{gauss}, 100)...), InWords(Repeat(gauss, 100))},
		"nested":      {Compose(Compose(gauss, Repeat(gauss, 3)), gauss), InWords(Repeat(gauss, 5))},
		"once":        {Repeat(gauss, 1), InWords(gauss)},
		"a failure":   {Compose(Covered(gauss, 1e-9, 0, CoverByPrice), ApproxDP{Delta: 1e-9, Neighbours: AddRemove}), "Gaussian noise, 2.5 times the sensitivity"},
		"another's":   {foreign{gauss}, clipped(fmt.Sprint(foreign{gauss}))},
		"replace-one": {AsReplaceOne(gauss), "Gaussian noise, 2.5 times the sensitivity"},
	} {
		if got := InWords(c.e); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	words := map[reflect.Type]string{}
	for name, e := range storable() {
		if w := InWords(e); w == "" || isLeaf(e) && (w == clipped(fmt.Sprint(e)) || strings.ContainsAny(w, "({")) {
			t.Errorf("%s: no words of its own: %q", name, w)
		} else {
			words[reflect.TypeOf(e)] = w
		}
	}
	for kind, typ := range leafTypes {
		if words[typ] == "" {
			t.Errorf("kind %q has no words", kind)
		}
	}
}
