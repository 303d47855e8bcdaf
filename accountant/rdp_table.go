package accountant

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// RDPTable is a release of which Rényi divergences are known at some orders.
type RDPTable struct {
	Orders     []float64 // rising, above 1; the last may be +Inf, the max-divergence
	Values     []float64 // a bound at each of them, at least 0
	Neighbours Neighbours
}

var _ = registerLeaf[RDPTable]("rdp_table")

// RDP bounds every order up to the last by the table, and none above it. Divergences rise with the
// order, so that a value counts for all orders below it. Between two orders (α−1) D_α is convex in α,
// hence below its chord. Errors wrap [ErrNeighbours], [ErrParameter] or [ErrOrder].
func (t RDPTable) RDP(rel Neighbours) (Curve, error) {
	if err := t.validate(rel); err != nil {
		return nil, err
	}
	orders, values := slices.Clone(t.Orders), slices.Clone(t.Values)
	for i := len(values) - 2; i >= 0; i-- {
		values[i] = min(values[i], values[i+1])
	}
	return func(alpha float64) float64 {
		if !(alpha > 1) {
			return math.Inf(1)
		}
		i, _ := slices.BinarySearch(orders, alpha)
		switch {
		case i == len(orders):
			return math.Inf(1)
		case i == 0 || orders[i] == alpha || math.IsInf(orders[i], 1) || math.IsInf(values[i], 1):
			return values[i]
		}
		lo, hi := orders[i-1], orders[i]
		// The weights (α_i − α)(α_{i−1} − 1) and (α − α_{i−1})(α_i − 1), over (α − 1)(α_i − α_{i−1}).
		width := (alpha - 1) * (hi - lo)
		chord := (hi-alpha)*(lo-1)/width*values[i-1] + (alpha-lo)*(hi-1)/width*values[i]
		return min(values[i], quad.Inflate(chord, leafMargin))
	}, nil
}

// String names the orders.
func (t RDPTable) String() string {
	if len(t.Orders) == 0 {
		return fmt.Sprintf("RDPTable(no orders, %v)", t.Neighbours)
	}
	return fmt.Sprintf("RDPTable(%d orders from %.6g to %.6g, %v)", len(t.Orders), t.Orders[0], t.Orders[len(t.Orders)-1], t.Neighbours)
}

func (t RDPTable) validate(rel Neighbours) error {
	if err := t.Neighbours.match("RDPTable", rel); err != nil {
		return err
	}
	if len(t.Orders) == 0 {
		return fmt.Errorf("accountant: RDPTable: orders: got none, want at least one: %w", ErrOrder)
	}
	if len(t.Values) != len(t.Orders) {
		return fmt.Errorf("accountant: RDPTable: values: got %d for %d orders, want as many: %w", len(t.Values), len(t.Orders), ErrParameter)
	}
	last := 1.0
	for i, alpha := range t.Orders {
		if !(alpha > last) {
			return fmt.Errorf("accountant: RDPTable: order %d: got %g after %g, want rising orders above 1: %w", i+1, alpha, last, ErrOrder)
		}
		if !(t.Values[i] >= 0) {
			return fmt.Errorf("accountant: RDPTable: value %d: got %g, want a number, at least 0: %w", i+1, t.Values[i], ErrParameter)
		}
		last = alpha
	}
	return nil
}
