package dpkit

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// TestEveryMechanismCarries: whatever is released says what it promises wherever it goes: printed in every way, as a gota frame, as JSON and back, from
// the first draw and from a replay; and a demonstration says that it promises nothing.
func TestEveryMechanismCarries(t *testing.T) {
	t.Parallel()
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, _ knownMechanism) {
		s := must(Create(entryData(t)[e.data], Options{
			Ledger: filepath.Join(t.TempDir(), "l"), Budget: Budget{Epsilon: 12, Delta: 1e-3}, Reserve: 1e-4, Neighbours: e.rel, Dataset: "carried " + e.kind,
		}))
		defer s.Close()
		drawn := must(e.end(s.Data()).release(t.Context()))
		again := must(e.end(s.Data()).release(t.Context()))
		demo := must(e.end(d).release(t.Context()))
		if !again.Replayed || drawn.Replayed {
			t.Fatalf("replayed: %v, then %v, want the second alone", drawn.Replayed, again.Replayed)
		}
		for name, r := range map[string]Result[any]{"drawn": drawn, "replayed": again, "demonstration": demo} {
			c, ok := r.Value.(origin.Carrier)
			if !ok {
				t.Fatalf("a %T carries nothing", r.Value)
			}
			o := *origin.Of(c)
			if private := name != "demonstration"; private {
				if !reflect.DeepEqual(o.Guarantee, &r.Guarantee) || o.Entry != r.Entry || r.Entry == "" || o.Dataset != "carried "+e.kind || o.Unit != "row" || !o.Charged.Equal(r.When) || o.NotPrivate != "" {
					t.Errorf("%s: carries %+v, want %v, entry %q", name, o, r.Guarantee, r.Entry)
				}
			} else if o.Guarantee != nil || o.NotPrivate != demoReason || o.Entry != "" {
				t.Errorf("%s: carries %+v", name, o)
			}
			value := reflect.ValueOf(r.Value).Elem().Interface() // what Result.Value holds
			for verb, text := range map[string]string{"Println": fmt.Sprintln(value), "%v": fmt.Sprintf("%v", value), "%s of a pointer": fmt.Sprintf("%s", r.Value)} {
				if !strings.Contains(text, o.Promise()) {
					t.Errorf("%s: %s prints %.300q without %q", name, verb, text, o.Promise())
				}
			}
			checkGota(t, name, r.Value, o)
			raw := must(json.Marshal(value))
			back := reflect.New(reflect.TypeOf(value))
			if err := json.Unmarshal(raw, back.Interface()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := origin.Of(back.Interface().(origin.Carrier)); got.Promise() != o.Promise() || !got.Charged.Equal(o.Charged) {
				t.Errorf("%s: read back from JSON: %+v, want %+v", name, *got, o)
			}
		}
		if a, b := origin.Of(drawn.Value.(origin.Carrier)), origin.Of(again.Value.(origin.Carrier)); a.Promise() != b.Promise() || !a.Charged.Equal(b.Charged) {
			t.Errorf("the replay carries %q, the draw %q", b.Promise(), a.Promise())
		}
	})
}

// checkGota: every row of the gota frame of a released value says what the value promises.
func checkGota(t *testing.T, name string, value any, o origin.Provenance) {
	t.Helper()
	v, ok := value.(interface{ Gota() dataframe.DataFrame })
	if !ok {
		t.Fatalf("%s: a %T has no method Gota", name, value)
	}
	df := v.Gota()
	if df.Err != nil || df.Nrow() == 0 {
		t.Fatalf("%s: a frame of %d rows, and %v", name, df.Nrow(), df.Err)
	}
	for i, row := range df.Maps() {
		if row["promise"] != o.Promise() || row["entry"] != o.Entry {
			t.Errorf("%s: row %d of the gota frame: %v, want the promise %q", name, i+1, row, o.Promise())
		}
		if o.Guarantee != nil && (row["epsilon"] != o.Guarantee.Epsilon || row["delta"] != o.Guarantee.Delta || row["unit"] != o.Unit) || o.Guarantee == nil && row["epsilon"] != nil {
			t.Errorf("%s: row %d of the gota frame: %v, want %v", name, i+1, row, o.Guarantee)
		}
	}
}
