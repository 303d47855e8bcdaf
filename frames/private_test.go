package frames_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"text/template"

	"github.com/dpkit-go/dpnb/frames"
)

// secretFrame holds numbers and codes that no description of it may show.
func secretFrame(t *testing.T) *frames.Frame {
	t.Helper()
	f, err := parse(people(t), strings.Repeat("73.0625,nurse,x,41.875,high\n", 3), frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFrameFormatsAsItsSchema(t *testing.T) {
	f := secretFrame(t)
	want := f.String()
	if !strings.HasPrefix(want, "frame of 3 rows (private)\ncolumn") {
		t.Fatalf("got %s", want)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%g", "%6.2f", "%t", "%c", "%U", "%b"} {
		for name, v := range map[string]any{"pointer": f, "value": *f} {
			if got := fmt.Sprintf(verb, v); got != want {
				t.Errorf("%s of a %s: got %s, want the schema", verb, name, got)
			}
		}
	}
	if got := fmt.Sprint(f); got != want {
		t.Errorf("Sprint: got %s", got)
	}
	if got := f.GoString(); got != want {
		t.Errorf("GoString: got %s", got)
	}
}

// Whatever holds a frame does not show its rows either.
func TestNothingAroundAFrameShowsRows(t *testing.T) {
	f := secretFrame(t)
	type holder struct {
		Pointer *frames.Frame
		Value   frames.Frame
		hidden  frames.Frame
		pointer *frames.Frame
		source  frames.Source
	}
	h := holder{f, *f, *f, f, f.Blocks(2)}
	var texts []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%g", "%x"} {
		for _, v := range []any{h, &h, []frames.Frame{*f}, map[string]*frames.Frame{"a": f}, f.Blocks(2), struct{ x any }{*f}} {
			texts = append(texts, fmt.Sprintf(verb, v))
		}
	}
	var b bytes.Buffer
	if err := template.Must(template.New("t").Parse("{{.}} {{.Pointer}} {{.Value}} {{printf `%d` .Pointer}}")).Execute(&b, h); err != nil {
		t.Fatal(err)
	}
	// Without the time, which may spell anything.
	timeless := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}
	slog.New(slog.NewTextHandler(&b, timeless)).Info("m", "frame", f, "value", *f)
	slog.New(slog.NewJSONHandler(&b, timeless)).Info("m", "frame", f, "value", *f, "holder", h)
	texts = append(texts, b.String())
	for _, text := range texts {
		for _, secret := range []string{"73.0", "41.8", "4052440000000000", "4044f00000000000"} {
			if strings.Contains(text, secret) {
				t.Fatalf("a row shows in %s", text)
			}
		}
	}
}

// A file's SHA-256 and clamped counts stay hidden too: the hash would confirm a guess at the rows.
func TestFileFormatsAsItsSchema(t *testing.T) {
	f := openText(t, "73.0625,nurse,x,41.875,high\n")
	type holder struct{ hidden *frames.File }
	sum := sha256.Sum256([]byte("73.0625,nurse,x,41.875,high\n"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
		if got := fmt.Sprintf(verb, f); got != f.String() {
			t.Errorf("%s: got %s, want the schema", verb, got)
		}
		text := fmt.Sprintf(verb, holder{f})
		for _, secret := range []string{"73.0", fmt.Sprint(sum[0], sum[1], sum[2]), hex.EncodeToString(sum[:4]), "map["} {
			if strings.Contains(text, secret) {
				t.Errorf("%s of a holder shows %s", verb, text)
			}
		}
	}
}

func TestFrameDoesNotMarshal(t *testing.T) {
	f := secretFrame(t)
	var b bytes.Buffer
	_, jsonErr := json.Marshal(f)
	_, valueErr := json.Marshal(map[string]any{"frame": *f})
	_, textErr := f.MarshalText()
	_, xmlErr := xml.Marshal(f)
	for name, err := range map[string]error{
		"json": jsonErr, "json of a value": valueErr, "text": textErr, "xml": xmlErr, "gob": gob.NewEncoder(&b).Encode(f),
	} {
		if !errors.Is(err, frames.ErrPrivate) {
			t.Errorf("%s: got %v, want ErrPrivate", name, err)
		}
	}
}
