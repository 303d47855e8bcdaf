package celltest

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	ansi   = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
	number = regexp.MustCompile(`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`)
)

// Normalize drops terminal sequences, trailing space in lines, and empty lines at the end.
func Normalize(s string) string {
	lines := strings.Split(ansi.ReplaceAllString(s, ""), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\r")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// Compare compares what a cell printed and showed with the text that is stored of it and with its
// Displays, in the way that the cell asks for. It reports the first difference of each.
func Compare(c Cell, stdout, stored string, displays []string) error {
	if c.Output == "ignore" {
		return nil
	}
	return errors.Join(compareText(c, stdout, stored), compareDisplays(c, displays))
}

func compareText(c Cell, got, want string) error {
	got, want = Normalize(got), Normalize(want)
	if c.Tail {
		want = lastLines(want, strings.Count(got, "\n"))
	}
	switch c.Output {
	case "":
		return sameLines(got, want, func(a, b string) bool { return a == b })
	case "unordered":
		a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
		slices.Sort(a)
		slices.Sort(b)
		return sameLines(strings.Join(a, ""), strings.Join(b, ""), func(a, b string) bool { return a == b })
	case "approx":
		return sameLines(got, want, func(a, b string) bool { return near(a, b, c.Tolerance) })
	case "contains":
		for _, text := range c.Text {
			if !strings.Contains(got, text) {
				return fmt.Errorf("printed\n%swant in it: %s", got, text)
			}
		}
		return nil
	case "regexp":
		for _, text := range c.Text {
			re, err := regexp.Compile("(?m)" + text)
			if err != nil {
				return fmt.Errorf("output: %w", err)
			}
			if !re.MatchString(got) {
				return fmt.Errorf("printed\n%swant a match of %s", got, text)
			}
		}
		return nil
	}
	return fmt.Errorf("output: got %q, want exact, unordered, contains, regexp, approx or ignore", c.Output)
}

// lastLines returns the last n lines of a normalized text.
func lastLines(s string, n int) string {
	lines := strings.SplitAfter(s, "\n")
	lines = lines[:len(lines)-1] // what follows the last newline: nothing
	return strings.Join(lines[max(len(lines)-n, 0):], "")
}

// sameLines compares line by line and reports the first difference.
func sameLines(got, want string, same func(got, want string) bool) error {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := lineAt(a, i), lineAt(b, i)
		if x == y || i < len(a) && i < len(b) && same(x, y) {
			continue
		}
		return fmt.Errorf("printed line %d differs from the stored output:\n  got  %s\n  want %s", i+1, show(a, i), show(b, i))
	}
	return nil
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func show(lines []string, i int) string {
	if i >= len(lines) || i == len(lines)-1 && lines[i] == "" {
		return "(end of the output)"
	}
	return strconv.Quote(lines[i])
}

// near compares two lines word for word, numbers in them up to the tolerance.
func near(got, want string, tolerance float64) bool {
	plain := func(s string) string {
		return strings.Join(strings.Fields(number.ReplaceAllString(s, " # ")), " ")
	}
	a, b := number.FindAllString(got, -1), number.FindAllString(want, -1)
	if len(a) != len(b) || plain(got) != plain(want) {
		return false
	}
	for i := range a {
		x, errX := strconv.ParseFloat(a[i], 64)
		y, errY := strconv.ParseFloat(b[i], 64)
		if errX != nil || errY != nil || !(math.Abs(x-y) <= tolerance*max(1, math.Abs(y))) {
			return false
		}
	}
	return true
}

// unseen is the type of a display that shows nothing: it tells programs of a release. A notebook from before has none of them.
const unseen = "application/vnd.dpnb.release+json"

func seen(displays []string) []string {
	return slices.DeleteFunc(slices.Clone(displays), func(types string) bool { return types == unseen })
}

func compareDisplays(c Cell, got []string) error {
	got, want := seen(got), seen(c.Displays)
	if c.Tail && len(want) > len(got) {
		want = want[len(want)-len(got):]
	}
	if c.AnyDisplay || slices.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("shows %d displays %q, want %d of the types %q", len(got), got, len(want), want)
}
