package viz

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// TestBurnDownOfSplits: of a split of the people the dearest part counts, and what reads everybody beside it.
func TestBurnDownOfSplits(t *testing.T) {
	s, _ := handBurned()
	charge := func(mu float64, split, part string) ledger.Entry {
		return ledger.Entry{Mu: mu, Split: split, Part: part}
	}
	b, err := burn(s, []ledger.Entry{
		charge(0.3, "one", "train"), charge(0.2, "one", "test"), charge(0.1, "", ""), charge(0.3, "one", "test"), charge(0.2, "two", "train"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0.09, 0.09, 0.1, 0.14, 0.18} // the last of test and train
	for i, sum := range want {
		whole, err := burn(s, []ledger.Entry{charge(math.Sqrt(sum), "", "")})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := b.spent[i+1], whole.spent[1]; math.Abs(got-want) > 1e-9*want || math.Abs(b.left[i+1]-whole.left[1]) > 1e-9 {
			t.Errorf("charge %d: spent %v and left %v, want %v and %v", i+1, got, b.left[i+1], want, whole.left[1])
		}
	}
}
