package notebooks

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// sampleDrugs invents what n patients were prescribed in the same two years, in the order of the days, and what some people were who never came.
// Many have nothing, most a few packs, and some one after the other.
func sampleDrugs(n int, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 3)) // nothing here is private
	drugs := []string{"antibiotic", "painkiller", "statin", "insulin"}
	days := []int{7, 14, 90, 30}
	first := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	type pack struct {
		day  int
		line string
	}
	var all []pack
	for i := range n + n/20 { // the last are no patients of the visits
		if random.Float64() < 0.45 {
			continue
		}
		drug, again := random.IntN(len(drugs)), 0.4
		if drug >= 2 {
			again = 0.8 // for good
		}
		for day := random.IntN(730); day < 730; day += days[drug] + random.IntN(30) {
			all = append(all, pack{day, fmt.Sprintf("p%04d,%s,%s,%d\n", i+1, first.AddDate(0, 0, day).Format(time.DateOnly), drugs[drug], days[drug])})
			if random.Float64() >= again {
				break
			}
			if random.Float64() < 0.2 {
				drug = random.IntN(len(drugs))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pack) int { return cmp.Compare(a.day, b.day) })
	var b bytes.Buffer
	b.WriteString("patient,day,drug,days\n")
	for _, p := range all {
		b.WriteString(p.line)
	}
	return b.Bytes()
}
