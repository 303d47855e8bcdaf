package linear

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// source is a data set of the study.
type source struct {
	name, file string
	load       func() (*frames.Frame, string, error)
	chain      func(dpkit.Pipeline) dpkit.Pipeline // public steps
	logistic   bool
	delta      float64 // 0: 1/n² of the training rows
	large      bool
}

func scaled(p dpkit.Pipeline) dpkit.Pipeline  { return p.Scale() }
func filled(p dpkit.Pipeline) dpkit.Pipeline  { return p.Impute(dpkit.Midpoint{}).Scale() }
func encoded(p dpkit.Pipeline) dpkit.Pipeline { return p.OneHot().Scale() }
func whole(p dpkit.Pipeline) dpkit.Pipeline   { return p.OneHot().Impute(dpkit.Midpoint{}).Scale() }

// sources are the paper's real sets with a linear label (Figure 2: crime, tecator; Figure 4: housing, wine, bike), and
// tables with two classes.
var sources = []source{
	{name: "housing", file: "housing/housing.data", load: datasets.Housing, chain: encoded},
	{name: "wine, red", file: "wine/winequality-red.csv", load: datasets.WineRed, chain: scaled},
	{name: "wine, white", file: "wine/winequality-white.csv", load: datasets.WineWhite, chain: scaled},
	{name: "bike, hours", file: "bike/hour.csv", load: datasets.BikeHour, chain: encoded},
	{name: "crime", file: "crime/communities.data", load: datasets.Crime, chain: filled},
	{name: "tecator", file: "tecator/tecator.csv", load: datasets.Tecator, chain: scaled},

	{
		name: "adult", file: "adult/adult.data", load: datasets.Adult, logistic: true, delta: 1e-6, large: true,
		chain: func(p dpkit.Pipeline) dpkit.Pipeline {
			return p.OneHot().ClipColumns(0, 20000, "capital-gain").Impute(dpkit.Midpoint{}).Scale()
		},
	},
	{name: "credit default", file: "credit/UCI_Credit_Card.csv", load: datasets.Credit, chain: encoded, logistic: true, delta: 1e-6, large: true},
	{name: "pima diabetes", file: "pima/pima-indians-diabetes.data.csv", load: datasets.Pima, chain: filled, logistic: true},
	{name: "kidney disease", file: "kidney/chronic_kidney_disease_full.arff", load: datasets.Kidney, chain: whole, logistic: true},
	{name: "MNIST 3 and 8, 7×7", file: "mnist/t10k-3v8-images-idx3-ubyte.gz", load: pooledMNIST, chain: scaled, logistic: true},
}

// digest is the SHA-256 of a file below DPNB_DATA.
func digest(file string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(os.Getenv("DPNB_DATA"), filepath.FromSlash(file)))
	if err != nil {
		return "", fmt.Errorf("linear study: %w", err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), nil
}

// pooledMNIST averages each 4×4 square of pixels: a public function of a row, which leaves 49 features of 784.
func pooledMNIST() (*frames.Frame, string, error) {
	f, origin, err := datasets.MNIST3v8()
	if err != nil {
		return nil, "", err
	}
	label, _ := f.Schema().Label()
	var cols []frames.Column
	for i := range 49 {
		cols = append(cols, frames.Numeric(fmt.Sprintf("square %d,%d", i/7+1, i%7+1), 0, 255))
	}
	schema, err := frames.NewSchema(append(cols, label)...)
	if err != nil {
		return nil, "", err
	}
	out := &frames.Block{Rows: f.Rows(), Cols: 49, X: make([]float64, 49*f.Rows())}
	at := 0
	err = frames.Public(f).Frame().Scan(context.Background(), func(b *frames.Block) error {
		for i := range b.Rows {
			for j, v := range b.Row(i) {
				out.X[at*49+j/28/4*7+j%28/4] += v / 16
			}
			at++
		}
		out.Y = append(out.Y, b.Y...)
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	pooled, err := frames.FromBlock(schema, out)
	return pooled, origin, err
}
