package frames

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestDecimalSpelling: two texts have one spelling if and only if they are one number, however many
// digits they have.
func TestDecimalSpelling(t *testing.T) {
	texts := []string{"0", "-0", "+0", "0.0", "00", "0e9", "1", "+1", "1.0", "01", "1e0", "10e-1", "0.1e1", "-1", "10", "1e1", "100e-1", ".5", "0.50", "5e-1", "1.", "9007199254740992", "9007199254740993", "9007199254740993.0", "90071992547409930e-1"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		digits := fmt.Sprint(r.IntN(30))
		for range r.IntN(25) {
			digits += fmt.Sprint(r.IntN(2) * 9)
		}
		if at := r.IntN(len(digits) + 1); at < len(digits) {
			digits = digits[:at] + "." + digits[at:]
		}
		if r.IntN(2) == 0 {
			digits += fmt.Sprintf("e%d", r.IntN(9)-4)
		}
		texts = append(texts, digits, "-"+digits)
	}
	numbers := map[string]*big.Rat{}
	for _, text := range texts {
		if _, ok := parseNumber([]byte(text)); !ok {
			t.Fatalf("%q is no number", text)
		}
		v, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no fraction", text)
		}
		spelled := string(appendDecimal(nil, []byte(text)))
		if first, known := numbers[spelled]; known && first.Cmp(v) != 0 {
			t.Errorf("%q is spelled %q, as another number is", text, spelled)
		}
		numbers[spelled] = v
	}
	spellings := map[string]string{}
	for spelled, v := range numbers {
		if other, twice := spellings[v.RatString()]; twice {
			t.Errorf("one number is spelled %q and %q", spelled, other)
		}
		spellings[v.RatString()] = spelled
	}
}
