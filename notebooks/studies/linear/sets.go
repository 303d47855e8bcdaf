package linear

import (
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
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
	{name: "MNIST 3 and 8, 7×7", file: "mnist/t10k-3v8-images-idx3-ubyte.gz", load: lab.PooledMNIST, chain: scaled, logistic: true},
}
