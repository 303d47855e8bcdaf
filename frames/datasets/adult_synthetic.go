package datasets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/frames"
)

// SyntheticAdult generates rows of [AdultSchema] that resemble UCI Adult. They are synthetic: each
// is drawn from a hand-written model of rounded, published marginals (see adult_model.go), none
// derives from a person's row, and conclusions about people cannot be drawn from them. About 24 %
// of the labels are ">50K"; about 7 % of the rows have missing cells: workclass and occupation
// together, or native-country. The same rows and seed give the same frame on
// one architecture (math.Exp may differ in the last bit on another). It wants rows >= 1.
func SyntheticAdult(rows int, seed uint64) (*frames.Frame, error) {
	var b bytes.Buffer
	if err := WriteSyntheticAdult(&b, rows, seed); err != nil {
		return nil, err
	}
	return frames.ParseCSV(&b, "synthetic Adult", AdultSchema(), AdultOptions())
}

// WriteSyntheticAdult writes the rows of [SyntheticAdult] in the format of adult.data, which
// [AdultOptions] reads.
func WriteSyntheticAdult(w io.Writer, rows int, seed uint64) error {
	if rows < 1 {
		return fmt.Errorf("datasets: synthetic Adult: got %d rows, want at least 1: %w", rows, frames.ErrEmpty)
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "dpnb/datasets.Adult/1")
	r := rand.New(rand.NewChaCha8(key))
	out := bufio.NewWriter(w)
	for range rows {
		p := drawPerson(r)
		fmt.Fprintf(out, "%d, %s, %d, %s, %d, %s, %s, %s, %s, %s, %d, %d, %d, %s, %s\n",
			p.age, p.workclass, p.weight, educations[p.education-1].name, p.education, p.marital, p.occupation,
			p.relationship, p.race, p.sex, p.gain, p.loss, p.hours, p.country, p.income)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("datasets: write synthetic Adult: %w", err)
	}
	return nil
}

// person is one synthetic row.
type person struct {
	age, weight, education, gain, loss, hours    int
	workclass, marital, occupation, relationship string
	race, sex, country, income                   string
}

func drawPerson(r *rand.Rand) person {
	var p person
	p.sex = draw(r, sexes)
	band := drawIndex(r, ageBands)
	p.age = ageBands[band].lo + r.IntN(ageBands[band].hi-ageBands[band].lo+1)
	p.weight = int(clamp(math.Exp(12+0.5*r.NormFloat64()), 13000, 1400000))
	p.education = 1 + drawIndex(r, educations)
	if p.age < 22 {
		p.education = min(p.education, 10) // no degree before 22
	}
	p.marital = drawMarital(r, p)
	p.relationship = drawRelationship(r, p)
	p.race = draw(r, races)
	p.workclass = draw(r, workclasses)
	p.occupation = drawOccupation(r, p)
	p.hours = drawHours(r, p)
	p.country = draw(r, countries)
	drawCapital(r, &p)
	p.income = "<=50K"
	if r.Float64() < 1/(1+math.Exp(-logOdds(p))) {
		p.income = ">50K"
	}
	return p
}

// draw picks a name with probability proportional to its weight.
func draw(r *rand.Rand, from []weighted) string { return from[drawIndex(r, from)].name }

func drawIndex[T interface{ mass() float64 }](r *rand.Rand, from []T) int {
	var total float64
	for _, w := range from {
		total += w.mass()
	}
	u := r.Float64() * total
	for i, w := range from {
		if u -= w.mass(); u < 0 {
			return i
		}
	}
	return len(from) - 1
}

func clamp(v, lo, hi float64) float64 { return min(max(v, lo), hi) }
