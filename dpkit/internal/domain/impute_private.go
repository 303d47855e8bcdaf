package domain

// Half is the unit of z: half the width of a number, the height of a block.
func (u Unit) Half() float64 {
	if u.Block {
		return u.Hi
	}
	return (u.Hi - u.Lo) / 2
}

func (u Unit) Middle() float64 {
	if u.Block {
		return 0
	}
	return u.Lo + (u.Hi-u.Lo)/2
}
