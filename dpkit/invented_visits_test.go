package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// inventedVisit is whose a visit is, where it was and how long: what is never missing.
type inventedVisit struct {
	who, ward string
	stay      float64
}

// inventedVisits are visits of people as a hospital has them, by a fixed seed: of each 6 000 patients 40 000 visits, 1 to 51 a patient, in 8
// wards, with one of 300 diagnosis codes by Zipf's law; of age, cost and diagnosis 1 to 3 % are missing. Costs are skewed: most are small
// against their bound. What a patient has hangs together: age by patient, cost by ward and age.
func inventedVisits(t testing.TB, patients int) (*frames.Frame, []inventedVisit) {
	t.Helper()
	r := rand.New(rand.NewPCG(2811, 26))
	wards := []string{"cardiology", "surgery", "oncology", "urology", "paediatrics", "psychiatry", "neurology", "eyes"}
	codes := make([]string, 300)
	for i := range codes {
		codes[i] = fmt.Sprintf("D%03d", i)
	}
	s := must(frames.NewSchema(
		frames.Person("patient"), frames.Numeric("age", 0, 100).MayMiss(), frames.Numeric("cost", 0, 50000).Clamped().MayMiss(), frames.Numeric("stay", 0, 60),
		frames.Category("ward", wards...), frames.Category("diagnosis", codes...).MayMiss(), frames.Category("sex", "f", "m"), frames.Label("back", "no", "yes"),
	))
	zipf := make([]float64, len(codes)) // cumulative
	for i := range zipf {
		zipf[i] = 1 / float64(i+1)
		if i > 0 {
			zipf[i] += zipf[i-1]
		}
	}
	missing := func(v any, share float64) string {
		if r.Float64() < share {
			return ""
		}
		return fmt.Sprint(v)
	}
	visits := 40000 * patients / 6000
	var b strings.Builder
	var all []inventedVisit
	b.WriteString("patient,age,cost,stay,ward,diagnosis,sex,back\n")
	for who := range patients {
		age, sex, usual := math.Floor(18+70*r.Float64()), []string{"f", "m"}[r.IntN(2)], r.IntN(len(wards))
		n := 1 + int(r.ExpFloat64()*5.7)
		if who == 0 {
			n = 51
		}
		n = max(1, min(n, 51, visits-(patients-who-1))) // everybody after has one at least
		if who == patients-1 {
			n = max(1, min(51, visits))
		}
		visits -= n
		for range n {
			ward := usual
			if r.IntN(3) == 0 {
				ward = r.IntN(len(wards))
			}
			code, at := 0, r.Float64()*zipf[len(zipf)-1]
			for zipf[code] < at {
				code++
			}
			cost := min(math.Round(math.Exp(6.8+0.012*age+0.1*float64(ward)+0.7*r.NormFloat64())), 50000)
			back := "no"
			if r.Float64() < 0.1+0.003*age {
				back = "yes"
			}
			stay := min(int(r.ExpFloat64()*4), 60)
			all = append(all, inventedVisit{fmt.Sprint("p", who), wards[ward], float64(stay)})
			fmt.Fprintf(&b, "p%d,%s,%s,%d,%s,%s,%s,%s\n", who, missing(age, 0.02), missing(cost, 0.03), stay,
				wards[ward], missing(codes[code], 0.01), sex, back)
		}
	}
	return must(frames.ParseCSV(strings.NewReader(b.String()), "invented visits", s, frames.CSVOptions{Header: true})), all
}
