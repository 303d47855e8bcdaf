package notebooks

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the files of notebooks/sample anew; then run own_data.ipynb and people.ipynb again")

// TestSample: the people of the template for data of one's own, and the visits and prescriptions of people.ipynb, are the invented ones of the generators.
func TestSample(t *testing.T) {
	for name, want := range map[string][]byte{"people.csv": samplePeople(2000, 1), "visits.csv": sampleVisits(3000, 1), "prescriptions.csv": sampleDrugs(3000, 1)} {
		file := filepath.Join("sample", name)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go test ./notebooks -run Sample -update", file)
		}
	}
}

// samplePeople invents n people. Income is a logistic model of the other columns; cells go missing at random.
func samplePeople(n int, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 0)) // nothing here is private
	jobs := []string{"clerk", "nurse", "smith"}
	effect := []float64{0, 1.2, -0.8}
	var b bytes.Buffer
	b.WriteString("id,age,hours,job,income\n")
	for i := range n {
		age := 17 + random.IntN(74)
		hours := math.Round(2*min(80, max(0, 37+11*random.NormFloat64()))) / 2 // half hours
		job := random.IntN(len(jobs))
		logit := -0.4 + effect[job] + 0.05*float64(age-53) + 0.09*(hours-37)
		income := "low"
		if random.Float64() < 1/(1+math.Exp(-logit)) {
			income = "high"
		}
		hoursCell, jobCell := fmt.Sprint(hours), jobs[job]
		if random.Float64() < 0.08 {
			hoursCell = ""
		}
		if random.Float64() < 0.05 {
			jobCell = "?"
		}
		fmt.Fprintf(&b, "%d,%d,%s,%s,%s\n", i+1, age, hoursCell, jobCell, income)
	}
	return b.Bytes()
}
