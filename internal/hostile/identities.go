package hostile

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// Identities are texts of which no two are one: no loader may make one person, level or text of two
// of them.
func Identities() []string {
	return []string{
		"a", "A", "a b", "a  b", "a\u00a0b", "a\u200b", "ab", "a\ufeff", "Ångström", "A\u030angstro\u0308m", "\u212bngström", "ß", "ss", "SS", "ı", "i", "I", "İ",
		"K", "\u212a", "ﬁ", "fi", "µ", "μ", "É", "é", "e\u0301", "x.", "x", "x\u00ad", "０", "٠",
		"0", "-0", "+0", "00", "0.0", "0e0", "7", "07", "007", "+7", "7.0", "7.", "7e0", "7.000000", "0x7", "7_0", "70", "1_000", "1000", "1e3", "1,000", "1 000",
		"9007199254740992", "9007199254740993", "-9007199254740993", "18000000000000000001", "18000000000000000002", "1.8e+19", "0.1", "0.10", "0.1000000000000000055",
		"340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
		"true", "True", "TRUE", "t", "false", "null", "NULL", "nil", "<nil>", "none", "NaN", "nan", "Inf", "inf", "Infinity", "NA", "N/A", "?", "-", `""`, `"`, "'", `\`, `\\`, `\n`,
		"2024-01-31", "2024-01-31 00:00:00", "2024-1-31", "20240131", "31.01.2024", "{7}", "(7)", "7;7", "7,7", "7|7", "#7", "%7", "%37", "a%20b", "a+b", "a=b", "a/b", "é'", "'a'", `"a"`,
		"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6ba7b8109dad11d180b400c04fd430c8",
		strings.Repeat("a", 255), strings.Repeat("a", 256), strings.Repeat("a", 300),
		// With space around them, as texts padded for reading: a loader refuses these, or tells
		// them apart.
		" ", " a", "a ", "a  ", "\ta", "a\t", "a\n", "a\r", "a\u00a0", "\u2003a", "a\u0085", "a\u3000", " 7", "7 ", " x", "x ",
	}
}

// plain are some that every loader takes, where it has the kind of column at all.
var plain = []string{"a", "A", "ab", "Ångström", "A\u030angstro\u0308m", "7", "07", "007", "70", "9007199254740992", "9007199254740993", "18000000000000000001", "18000000000000000002", "True"}

// Column kinds that tell texts apart.
const (
	AsPerson   = "person"
	AsCategory = "category"
	AsLabel    = "label"
	AsText     = "text"
)

var kinds = []string{AsPerson, AsCategory, AsLabel, AsText}

// rest is the level of what is no level.
const rest = "none of them"

// column is the column v of a kind, with levels.
func column(kind string, levels []string) frames.Column {
	switch kind {
	case AsPerson:
		return frames.Person("v")
	case AsText:
		return frames.Text("v")
	case AsLabel:
		return frames.Label("v", levels...).Other(rest)
	}
	return frames.Category("v", levels...).Other(rest)
}

// identitySchema has a column v of a kind, and a column x of numbers in [0, 1].
func identitySchema(t testing.TB, kind string, levels []string) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(column(kind, levels), frames.Numeric("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Loader is how a test reads texts by a source.
type Loader struct {
	// Read makes a table of the source, with the texts in column v and 0 in column x, and reads it.
	Read func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error)
	// Texts are those that it can have; nil: Identities. All of them must be taken, or those that
	// every loader takes.
	Texts []string
	// Without are kinds of columns that it has not, and why.
	Without map[string]string
	// Of says what the schema is, where the source has one of its own.
	Of func(t testing.TB, kind string, levels []string) frames.Schema
}

// RunIdentities reads identifiers, levels and texts by a loader: two are never one, and each that
// is taken is what it is by every other loader.
func RunIdentities(t *testing.T, in Loader) {
	t.Helper()
	texts, must := in.Texts, in.Texts
	if texts == nil {
		texts, must = Identities(), plain
	}
	for _, kind := range kinds {
		if in.Without[kind] != "" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			var levels []string // those that can be levels
			for _, text := range texts {
				if _, err := frames.NewSchema(frames.Category("v", text, rest)); err == nil {
					levels = append(levels, text)
				}
			}
			of := in.Of
			if of == nil {
				of = identitySchema
			}
			s := of(t, kind, levels)
			// Those that it takes are found by halves: most are refused for one reason and stand
			// together.
			var taken []string
			var take func(of []string)
			take = func(of []string) {
				src, err := in.Read(t, s, of)
				switch {
				case err == nil && len(keysOf(t, src, kind)) == len(of):
					taken = append(taken, of...)
				case len(of) > 1:
					take(of[:len(of)/2])
					take(of[len(of)/2:])
				case slices.Contains(must, of[0]):
					t.Errorf("%q is refused: %v", of[0], err)
				}
			}
			take(texts)
			if len(taken) == 0 {
				t.Fatal("nothing was taken")
			}
			src, err := in.Read(t, s, taken)
			if err != nil {
				t.Fatalf("each was taken by itself, not all of them: %v", err)
			}
			keys := keysOf(t, src, kind)
			if len(keys) != len(taken) {
				t.Fatalf("got %d rows, want %d", len(keys), len(taken))
			}
			distinct(t, keys, func(i int) string { return fmt.Sprintf("%q", taken[i]) })
			for i, key := range keys {
				if want := keyOf(kind, taken[i]); want != key {
					t.Errorf("%q is %s, want %s as by every loader", taken[i], key, want)
				}
			}
		})
	}
	for kind := range in.Without {
		if !slices.Contains(kinds, kind) {
			t.Errorf("%q is no kind of column", kind)
		}
	}
}

// distinct fails for two keys that are one.
func distinct(t *testing.T, keys []string, name func(i int) string) {
	t.Helper()
	first := map[string]int{}
	for i, key := range keys {
		if j, twice := first[key]; twice {
			t.Errorf("%s and %s are one", name(j), name(i))
		}
		first[key] = i
	}
}

// Typed is a column of another type than text: all of its values differ, and the schema may declare
// it as any kind.
type Typed struct {
	// Read makes a table of the source, with values of the type in column v and 0 in column x, and
	// reads it.
	Read func(t testing.TB, s frames.Schema) (frames.Source, error)
	Rows int
	// Levels are all spellings of the values.
	Levels []string
	// Takes are the kinds of columns that the type is read as. Others are refused, but for those
	// that no table of the type can show.
	Takes   []string
	Without map[string]string // those, and why
}

// RunTyped reads the values of a type as each kind of column: it refuses them, or tells all of them
// apart.
func RunTyped(t *testing.T, in Typed) {
	t.Helper()
	for _, kind := range kinds {
		if in.Without[kind] != "" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			src, err := in.Read(t, identitySchema(t, kind, in.Levels))
			var keys []string
			if err == nil {
				keys = keysOf(t, src, kind)
			}
			switch takes := slices.Contains(in.Takes, kind); {
			case takes && err != nil:
				t.Errorf("refused: %v", err)
			case !takes && err == nil:
				t.Errorf("taken, with %d rows, want a refusal", len(keys))
			case err == nil && len(keys) != in.Rows:
				t.Errorf("got %d rows, want %d", len(keys), in.Rows)
			}
			distinct(t, keys, func(i int) string { return fmt.Sprintf("the values of rows %d", i+1) })
			if slices.Contains(keys, keyOf(kind, rest)) {
				t.Error("a value is none of the levels: list its spelling")
			}
		})
	}
}

// keyOf is what a text is in a column of a kind.
func keyOf(kind, text string) string {
	switch kind {
	case AsPerson:
		return fmt.Sprintf("person %x", [16]byte(frames.NewPersonID([]byte(text))))
	case AsText:
		return fmt.Sprintf("text %q, %v", text, frames.TextCode(text))
	}
	return fmt.Sprintf("level %q", text)
}

// keysOf are those of the column v, or of the label or the person, of all rows.
func keysOf(t testing.TB, src frames.Source, kind string) (keys []string) {
	t.Helper()
	s := src.Schema()
	err := src.Scan(context.Background(), func(b *frames.Block) error {
		for i := range b.Rows {
			if kind == AsPerson {
				keys = append(keys, fmt.Sprintf("person %x", [16]byte(b.Person[i])))
				continue
			}
			v, c := math.NaN(), frames.Column{}
			if kind == AsLabel {
				v, c = b.Y[i], first(s.Label())
			} else if j, ok := s.FeatureIndex("v"); ok {
				v, c = b.X[i*b.Cols+j], s.Features()[j]
			}
			switch {
			case math.IsNaN(v):
				keys = append(keys, "missing")
			case kind == AsText:
				text, ok := c.TextOf(v)
				keys = append(keys, fmt.Sprintf("text %q, %v", text, v))
				if !ok {
					t.Errorf("row %d: a code that the column has no text of", b.First+i+1)
				}
			default:
				keys = append(keys, fmt.Sprintf("level %q", c.Levels[int(v)]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func first[T, U any](v T, _ U) T { return v }
