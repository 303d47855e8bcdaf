package dpkit

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	goldenMany  = regexp.MustCompile(`^(.+?) (?:x|rows) (.+)$`)
	goldenNamed = regexp.MustCompile(`^([a-z]\w*) ?= ?(.+)$`)
	goldenAdd   = regexp.MustCompile(`^add (.+)$`)
)

// goldenRows reads the rows that a file spells out: "(n-2) x [1/sqrt2, NaN], 1 x [-1, NaN]*3; z1=[-1,NaN]",
// "a rows +1", "200 x e2", "999 rows x=0.1,y=0.2" (rows (0.1, 0.2)) and "0.5 common" for one row, and beside them
// what it names: z1=…, eta=…, "add 0". Items that say neither are text.
func goldenRows(t *testing.T, spec string, vars map[string]float64) (rows [][]float64, named map[string][]float64) {
	t.Helper()
	// "999 rows x=0.1,y=0.2" is one item.
	spec = regexp.MustCompile(`x=([^,;()]+),\s*y=([^,;()]+)`).ReplaceAllString(spec, "($1, $2)")
	named = map[string][]float64{}
	for _, item := range splitTop(spec) {
		if c := goldenMany.FindStringSubmatch(item); c != nil {
			count, err := evaluate(c[1], vars)
			if err != nil {
				t.Fatalf("%q: %v", item, err)
			}
			row := goldenVector(t, c[2], vars)
			for range int(math.Round(count)) {
				rows = append(rows, slices.Clone(row))
			}
		} else if one, ok := strings.CutSuffix(item, " common"); ok {
			rows = append(rows, goldenVector(t, one, vars))
		} else if c := goldenNamed.FindStringSubmatch(item); c != nil {
			named[c[1]] = goldenVector(t, c[2], vars)
		} else if c := goldenAdd.FindStringSubmatch(item); c != nil {
			named["add"] = goldenVector(t, c[1], vars)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%q: no rows", spec)
	}
	return rows, named
}

// splitTop splits at commas and semicolons outside of brackets.
func splitTop(text string) (out []string) {
	depth, from := 0, 0
	for i, r := range text + ";" {
		switch r {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',', ';':
			if depth == 0 {
				if item := strings.TrimSpace(text[from:i]); item != "" {
					out = append(out, item)
				}
				from = i + 1
			}
		}
	}
	return out
}

// goldenVector reads [a, b], as often as in [a, b]*3, or (a, b), or a number.
func goldenVector(t *testing.T, text string, vars map[string]float64) []float64 {
	t.Helper()
	text = strings.TrimSpace(text)
	inner, times := text, 1
	if from := strings.LastIndex(text, "]*"); from >= 0 {
		n, err := strconv.Atoi(text[from+2:])
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		inner, times = text[:from+1], n
	}
	if strings.HasPrefix(inner, "[") && strings.HasSuffix(inner, "]") || strings.HasPrefix(inner, "(") && strings.HasSuffix(inner, ")") {
		inner = inner[1 : len(inner)-1]
	}
	var row []float64
	for _, item := range splitTop(inner) {
		x, err := evaluate(item, vars)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		row = append(row, x)
	}
	return slices.Repeat(row, times)
}

func TestGoldenRows(t *testing.T) {
	rows, named := goldenRows(t, "(n-2) x [1/sqrt2,NaN], 1 x [NaN]*2; z1=[-1,NaN]; z2=(0,2); population std", map[string]float64{"n": 4})
	if len(rows) != 3 || !(math.Abs(rows[0][0]-math.Sqrt2/2) < 1e-15) || !math.IsNaN(rows[1][1]) || len(rows[2]) != 2 || named["z2"][1] != 2 || named["z1"][0] != -1 {
		t.Errorf("got %v, %v", rows, named)
	}
	rows, named = goldenRows(t, "2 rows x=0.1,y=0.9; z1=(1,0), z2=(0,0)", nil)
	if len(rows) != 2 || rows[1][1] != 0.9 || named["z1"][0] != 1 {
		t.Errorf("got %v, %v", rows, named)
	}
	rows, named = goldenRows(t, "3 x 0.0, 0.5 common; z1=1.0, x=0.5, eta=.05, add 0", nil)
	if len(rows) != 4 || rows[3][0] != 0.5 || named["x"][0] != 0.5 || named["add"][0] != 0 {
		t.Errorf("got %v, %v", rows, named)
	}
}
