package population

// A Member is a population on which a default must not lose.
type Member struct {
	Shape
	Deviation float64 // of the best model's margin
}

// Panel are populations unlike one another: rows that fill their bound or a tenth of it, in all directions alike, in few of them, or in
// less and less; with a strong, a weak and next to no signal; and some that want coefficients beyond any ball.
var Panel = func() (all []Member) {
	for _, s := range []Shape{
		{Fill: 1}, {Fill: 0.5, Decay: 1, Tilt: 1}, {Fill: 0.1, Decay: 1.5, Tilt: 1}, {Fill: 0.3, Rank: 4},
	} {
		for _, signal := range []float64{0.05, 0.5, 2} {
			all = append(all, Member{s, signal})
		}
	}
	return append(all, Member{Shape{Fill: 0.1, Decay: 1, Tilt: 1}, 4}, Member{Shape{Fill: 0.05, Decay: 1.2, Tilt: 1}, 2}, Member{Shape{Fill: 0.05}, 1})
}()

// A Contest compares descents by the log loss on the panel, for rows of so many columns of norm at most R and the constant feature.
type Contest struct {
	Columns     int
	R, Constant float64
}

// tolerated is by how much a descent may be predicted to lose to another on a member of the panel and still count as no worse, and gained
// what it is to win by on some member.
const tolerated, gained = 1.005, 0.98

// Better says whether one descent is predicted to lose to another on no member of the panel, and to win on some.
func (c Contest) Better(d, than Descent) bool {
	wins := false
	for _, member := range Panel {
		e, was := c.run(d, member), c.run(than, member)
		if !(e <= was*tolerated+1e-7) {
			return false
		}
		wins = wins || e < was*gained
	}
	return wins
}

func (c Contest) run(d Descent, of Member) float64 {
	of.Coarse = true
	r, m := of.Rows(c.Columns, c.R, c.Constant), Margins{Deviation: of.Deviation}
	return m.LogLoss(d.Run(r, m, Logistic)) - m.LogLoss(m.best())
}
