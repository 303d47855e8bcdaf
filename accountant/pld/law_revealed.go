package pld

// Revealed returns the law of two outputs that never coincide: the loss is +∞.
func Revealed() Law { return revealed{} }

type revealed struct{}

func (revealed) Tails(float64) Tails { return Tails{} }

func (revealed) Range(float64) (lo, hi float64) { return 0, 0 }

func (revealed) Infinite() float64 { return 1 }
