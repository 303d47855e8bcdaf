package dpkit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// call renders a step as it is written in a chain.
func call(name string, args ...string) string { return name + "(" + strings.Join(args, ", ") + ")" }

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return out
}

func unknownColumn(name string, in frames.Schema) error {
	var have []string
	for _, c := range in.Features() {
		have = append(have, c.Name)
	}
	const most = 12
	list := strings.Join(have[:min(len(have), most)], ", ")
	if len(have) > most {
		list += fmt.Sprintf(", … (%d in all)", len(have))
	}
	return fmt.Errorf("%w: %q; the features here are %s", ErrColumn, name, list)
}
