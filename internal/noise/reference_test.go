package noise

import "math/big"

// reference is the samplers written a second time, from the paper, in unbounded rational
// arithmetic. It consumes words in the same order, so from equal bits it must return equal
// samples.
type reference struct{ bits *Source }

var (
	one    = big.NewRat(1, 1)
	word   = new(big.Int).Lsh(big.NewInt(1), 64)
	limit  = new(big.Int).Lsh(big.NewInt(1), 62)
	bigInt = func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
	ratio  = func(num, den *big.Int) *big.Rat { return new(big.Rat).SetFrac(num, den) }
)

func (r reference) word() *big.Int { return bigInt(r.bits.Uint64()) }

// uniform is on [0, n): the top word of n times a random word, without the incomplete block.
func (r reference) uniform(n *big.Int) *big.Int {
	excess := new(big.Int).Mod(word, n)
	for {
		hi, lo := new(big.Int).DivMod(new(big.Int).Mul(r.word(), n), word, new(big.Int))
		if lo.Cmp(excess) >= 0 {
			return hi
		}
	}
}

// bernoulli decides U < p by the binary digits of both, in base 2^64.
func (r reference) bernoulli(p *big.Rat) bool {
	for {
		p = new(big.Rat).Mul(p, new(big.Rat).SetInt(word))
		p.Sub(p, new(big.Rat).SetInt(r.word()))
		switch {
		case p.Sign() <= 0:
			return false
		case p.Cmp(one) >= 0:
			return true
		}
	}
}

// exp is Bernoulli(exp(-num/den)); γ/k takes one draw while k·den < 2^width, two draws beyond.
func (r reference) exp(num, den *big.Int, width int) bool {
	gamma := ratio(num, den)
	for gamma.Cmp(one) >= 0 {
		if !r.expOne() {
			return false
		}
		gamma.Sub(gamma, one)
	}
	for k := int64(1); ; k++ {
		share := big.NewRat(1, k)
		var a bool
		if new(big.Int).Mul(den, big.NewInt(k)).BitLen() <= width {
			a = r.bernoulli(share.Mul(share, gamma))
		} else {
			a = r.bernoulli(share) && r.bernoulli(gamma)
		}
		if !a {
			return k%2 == 1
		}
	}
}

func (r reference) expOne() bool {
	k := int64(2)
	for r.bernoulli(big.NewRat(1, k)) {
		k++
	}
	return k%2 == 1
}

// geometric has P(x) ∝ exp(-x/t).
func (r reference) geometric(t *big.Int) *big.Int {
	u := r.uniform(t)
	for !r.exp(u, t, 64) {
		u = r.uniform(t)
	}
	for r.expOne() {
		u.Add(u, t)
	}
	return u
}

func (r reference) laplace(num, den uint64) int64 {
	for {
		y := r.geometric(bigInt(num))
		y.Div(y, bigInt(den))
		if y.Cmp(limit) >= 0 {
			y.Sub(limit, bigInt(1))
		}
		if negative := r.word().Bit(0) == 1; !negative {
			return y.Int64()
		} else if y.Sign() != 0 {
			return -y.Int64()
		}
	}
}

func (r reference) gaussian(sigma uint64) int64 {
	s := bigInt(sigma)
	for {
		y := r.geometric(s)
		negative := r.word().Bit(0) == 1
		if negative && y.Sign() == 0 {
			continue
		}
		num := new(big.Int).Sub(y, s)
		num.Mul(num, num)
		den := new(big.Int).Mul(s, s)
		if !r.exp(num, den.Lsh(den, 1), 128) {
			continue
		}
		if y.Cmp(limit) >= 0 { // far beyond what comparisons see
			y.Sub(limit, bigInt(1))
		}
		if negative {
			return -y.Int64()
		}
		return y.Int64()
	}
}
