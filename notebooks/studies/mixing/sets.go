package mixing

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// table is rows of features and labels.
type table struct {
	x [][]float64
	y []float64
}

// source is a data set of the study; simulated ones have no file.
type source struct {
	name, file string
	figure     int
	logistic   bool
	load       func(Settings) (train, test table, err error)
}

var sources = []source{
	{name: "crime", file: "crime/communities.data", figure: 2, load: split(crime)},
	{name: "tecator", file: "tecator/tecator.csv", figure: 2, load: split(framed(datasets.Tecator))},
	{name: "gaussian", figure: 2, load: simulated(1, gaussianRows)},
	{name: "synthetic", figure: 2, load: simulated(2, networkRows)},
	{name: "housing", file: "housing/housing.data", figure: 4, load: split(framed(datasets.Housing))},
	{name: "wine", file: "gaussmix/winequality-red.csv", figure: 4, load: split(wine)},
	{name: "bike", file: "gaussmix/bike_train.csv", figure: 4, load: split(bike)},
	{name: "uniform", figure: 4, load: simulated(3, uniformRows)},
	{name: "MNIST 3 and 8, 7×7", file: "mnist/t10k-3v8-images-idx3-ubyte.gz", figure: 5, logistic: true, load: split(pooledMNIST)},
}

// framed reads a frame as it is: codes of categories are numbers.
func framed(load func() (*frames.Frame, string, error)) func() (table, error) {
	return func() (t table, err error) {
		f, _, err := load()
		if err != nil {
			return t, err
		}
		err = frames.Public(f).Frame().Scan(context.Background(), func(b *frames.Block) error {
			for i := range b.Rows {
				t.x = append(t.x, slices.Clone(b.Row(i)))
			}
			t.y = append(t.y, b.Y...)
			return nil
		})
		return t, err
	}
}

// split parts the rows at random, four fifths for training.
func split(load func() (table, error)) func(Settings) (train, test table, err error) {
	return func(s Settings) (train, test table, err error) {
		t, err := load()
		if err != nil {
			return train, test, err
		}
		order := rand.New(rand.NewPCG(s.Seed, 0)).Perm(len(t.y))
		for i, at := range order {
			part := &train
			if i >= len(order)*4/5 {
				part = &test
			}
			part.x, part.y = append(part.x, t.x[at]), append(part.y, t.y[at])
		}
		return train, test, nil
	}
}

// crime has the columns without missing cells, and OtherPerCap, which misses one and gets its mean there; each column is
// standardised by all rows, as in the paper's code.
func crime() (table, error) {
	t, err := framed(datasets.Crime)()
	if err != nil {
		return t, err
	}
	out := table{x: make([][]float64, len(t.x)), y: t.y}
	for j := range t.x[0] {
		sum, known := 0.0, 0.0
		for _, row := range t.x {
			if !math.IsNaN(row[j]) {
				sum, known = sum+row[j], known+1
			}
		}
		if int(known) < len(t.x)-1 {
			continue
		}
		mean, squares := sum/known, 0.0
		for _, row := range t.x {
			if math.IsNaN(row[j]) {
				row[j] = mean
			}
			squares += (row[j] - mean) * (row[j] - mean)
		}
		sd := math.Sqrt(squares / float64(len(t.x)-1))
		for i, row := range t.x {
			out.x[i] = append(out.x[i], (row[j]-mean)/sd)
		}
	}
	return out, nil
}

// wine leaves duplicate rows out: 1359 of 1599.
func wine() (table, error) {
	t, err := framed(datasets.GaussMixWine)()
	if err != nil {
		return t, err
	}
	seen, out := map[string]bool{}, table{}
	for i, row := range t.x {
		if key := fmt.Sprint(row, t.y[i]); !seen[key] {
			seen[key] = true
			out.x, out.y = append(out.x, row), append(out.y, t.y[i])
		}
	}
	return out, nil
}

// bike is the Kaggle file with the columns of the paper's code: season and weather one-hot, and hour, day of the week, month and year.
func bike() (out table, err error) {
	f, err := os.Open(filepath.Join(os.Getenv("DPNB_DATA"), "gaussmix", "bike_train.csv"))
	if err != nil {
		return out, fmt.Errorf("mixing: %w", err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return out, fmt.Errorf("mixing: bike: %w", err)
	}
	const header = "datetime,season,holiday,workingday,weather,temp,atemp,humidity,windspeed,casual,registered,count"
	if got := strings.Join(lines[0], ","); got != header {
		return out, fmt.Errorf("mixing: bike: got columns %s, want %s", got, header)
	}
	for i, line := range lines[1:] {
		at, err := time.Parse("2006-01-02 15:04:05", line[0])
		if err != nil {
			return out, fmt.Errorf("mixing: bike: row %d: %w", i+1, err)
		}
		var v [12]float64
		for j := 1; j < len(v); j++ {
			if v[j], err = strconv.ParseFloat(line[j], 64); err != nil {
				return out, fmt.Errorf("mixing: bike: row %d: %w", i+1, err)
			}
		}
		row := append([]float64{v[2], v[3]}, v[5:9]...)
		for _, code := range []float64{v[1], v[4]} {
			for level := 1.; level <= 4; level++ {
				row = append(row, indicator(code == level))
			}
		}
		out.x = append(out.x, append(row, float64(at.Hour()), float64((at.Weekday()+6)%7), float64(at.Month()), float64(at.Year()-2011)))
		out.y = append(out.y, v[11])
	}
	return out, nil
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// pooledMNIST has labels ±1.
func pooledMNIST() (table, error) {
	t, err := framed(lab.PooledMNIST)()
	if err != nil {
		return t, err
	}
	for i, y := range t.y {
		t.y[i] = 2*y - 1
	}
	return t, nil
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }

func scale(a []float64, by float64) {
	for i := range a {
		a[i] *= by
	}
}

// normalise divides rows by the largest norm of a training row, and labels of real sets by the largest training label, as the paper
// does: both look at the rows, and are not private.
func normalise(train, test table, labels bool) {
	longest, largest := 0.0, 0.0
	for i, row := range train.x {
		longest, largest = max(longest, norm(row)), max(largest, math.Abs(train.y[i]))
	}
	for _, t := range []table{train, test} {
		for _, row := range t.x {
			scale(row, 1/longest)
		}
		if labels {
			scale(t.y, 1/largest)
		}
	}
}
