package notebooks

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// mostVisits is how many visits an invented patient has at most.
const mostVisits = 40

// sampleVisits invents the visits of n patients in two years of days, in the order of the days. Most come once or twice; a few come again
// and again. Who is old, or was in emergency, is back within a month more often. Cells of ward and stay go missing at random. Diagnoses are
// as they were typed: a few of each ward often, many once.
func sampleVisits(n int, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 1)) // nothing here is private
	typed := rand.New(rand.NewPCG(seed, 2))  // of diagnoses, so that the other columns are what they were without them
	wards := []string{"surgery", "medicine", "children", "eyes", "emergency"}
	effect := []float64{-0.3, 0.2, -0.2, -1.2, 0.8}
	length := []float64{4, 6, 3, 1, 2}
	first := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	type visit struct {
		day  int
		line string
	}
	var all []visit
	for i := range n {
		age := random.IntN(96)
		day, again, frail := random.IntN(730), 0.45, 0.0 // again: that another visit follows, beyond the month
		within := 30                                     // days until another visit
		if random.Float64() < 0.03 {
			day, again, frail, within = random.IntN(200), 0.98, 3.0, 8+random.IntN(23)
		}
		for k := 1; day < 730; k++ {
			ward := random.IntN(len(wards))
			for (wards[ward] == "children") != (age < 16) && random.Float64() < 0.95 {
				ward = random.IntN(len(wards))
			}
			stay := math.Round(2*min(30, length[ward]*random.ExpFloat64()*(0.6+float64(age)/100))) / 2 // half days
			logit := -2 + effect[ward] + 0.025*float64(age-45) + frail
			back := k < mostVisits && random.Float64() < 1/(1+math.Exp(-logit))
			next := day + int(stay) + 1 + random.IntN(within)
			if back = back && next < 730; !back {
				next = day + int(stay) + 31 + random.IntN(60)
			}
			wardCell, stayCell, backCell := wards[ward], fmt.Sprint(stay), "no"
			if back {
				backCell = "yes"
			}
			if random.Float64() < 0.03 {
				wardCell = ""
			}
			if random.Float64() < 0.06 {
				stayCell = ""
			}
			all = append(all, visit{day, fmt.Sprintf("p%04d,%s,%d,%s,%s,%s,%s\n",
				i+1, first.AddDate(0, 0, day).Format(time.DateOnly), age, wardCell, stayCell, backCell, typedDiagnosis(typed, wards[ward]))})
			if k == mostVisits || !back && random.Float64() >= again {
				break
			}
			day = next
		}
	}
	slices.SortStableFunc(all, func(a, b visit) int { return cmp.Compare(a.day, b.day) })
	var b bytes.Buffer
	b.WriteString("patient,day,age,ward,stay,back,diagnosis\n")
	for _, v := range all {
		b.WriteString(v.line)
	}
	return b.Bytes()
}

// diagnoses are those that are typed often, by ward, the most frequent first.
var diagnoses = map[string][]string{
	"surgery":   {"hernia", "gallstones", "appendicitis", "knee replacement", "hip replacement", "varicose veins"},
	"medicine":  {"heart failure", "pneumonia", "diabetes", "hypertension", "asthma", "anaemia"},
	"children":  {"bronchitis", "tonsillitis", "croup", "eczema", "fever"},
	"eyes":      {"cataract", "glaucoma", "retinal tear", "conjunctivitis"},
	"emergency": {"chest pain", "fracture", "concussion", "cut hand", "fall", "sepsis", "stroke"},
}

// typedDiagnosis is what somebody typed of a visit: one of the ward's, each half as often as the one before, or what hardly anybody has.
func typedDiagnosis(random *rand.Rand, ward string) string {
	if random.Float64() < 0.1 {
		return fmt.Sprintf("see letter %d", random.IntN(2000))
	}
	of := diagnoses[ward]
	i := 0
	for i < len(of)-1 && random.Float64() < 0.5 {
		i++
	}
	return of[i]
}
