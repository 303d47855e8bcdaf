package decisions

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// source is a data set of the study with the chain of an analyst, step by step, as [dpkit.ParsePipeline] reads it.
type source struct {
	name, file string
	load       func() (*frames.Frame, string, error)
	steps      []string
	exact      []string // steps without what is fitted, for the fit without noise
	task       string
}

// sources are eight real sets, MNIST's threes and eights as means of 2 × 2 pixels, and two simulated ones, each with the
// chain that textbooks suggest: cells are filled where they miss, categories become columns, numbers are scaled, wide rows are reduced
// and duplicates removed. Fits behind fitted steps are by gradient descent, which takes displaced rows.
var sources = []source{
	{
		name: "adult", file: "adult/adult.data", load: datasets.Adult, task: Classes,
		steps: []string{`OneHot()`, `ClipColumns(0, 20000, "capital-gain")`, `Impute(Mean{})`, `Scale()`, `PCA(SoftThreshold{Lambda: 0.01})`},
		exact: []string{`OneHot()`, `ClipColumns(0, 20000, "capital-gain")`, `Impute(Midpoint{})`, `Scale()`},
	},
	{
		name: "credit", file: "credit/UCI_Credit_Card.csv", load: datasets.Credit, task: Classes,
		steps: []string{`OneHot()`, `Scale()`, `Standardize(PrivateRMS{Share: 0.2, Floor: 0.05})`},
		exact: []string{`OneHot()`, `Scale()`},
	},
	{
		name: "MNIST 3 and 8, 14×14", file: "mnist/t10k-3v8-images-idx3-ubyte.gz", load: pooledMNIST, task: Classes,
		steps: []string{`Scale()`, `PCA(SoftThreshold{Lambda: 0.01})`},
		exact: []string{`Scale()`},
	},
	{
		name: "pima", file: "pima/pima-indians-diabetes.data.csv", load: datasets.Pima, task: Classes,
		steps: []string{`Impute(Mean{})`, `Scale()`},
		exact: []string{`Impute(Midpoint{})`, `Scale()`},
	},
	{
		name: "kidney", file: "kidney/chronic_kidney_disease_full.arff", load: datasets.Kidney, task: Classes,
		steps: []string{`OneHot()`, `Impute(Mean{})`, `Scale()`},
		exact: []string{`OneHot()`, `Impute(Midpoint{})`, `Scale()`},
	},
	{
		name: "wine", file: "wine/winequality-red.csv", load: datasets.WineRed, task: Numbers,
		steps: []string{`Dedup(Exact{})`, `Scale()`, `Standardize(PrivateStandard{Share: 0.2, Floor: 0.05})`},
		exact: []string{`Scale()`},
	},
	{
		name: "bike", file: "bike/hour.csv", load: datasets.BikeHour, task: Numbers,
		steps: []string{`OneHot()`, `Scale()`, `PCA(PrivateComponents{K: 30, Share: 0.3})`},
		exact: []string{`OneHot()`, `Scale()`},
	},
	{
		name: "crime", file: "crime/communities.data", load: datasets.Crime, task: Numbers,
		steps: []string{`Impute(Mean{})`, `Scale()`, `PCA(SoftThreshold{Lambda: 0.01})`},
		exact: []string{`Impute(Midpoint{})`, `Scale()`},
	},
	{
		name: "housing", file: "housing/housing.data", load: datasets.Housing, task: Numbers,
		steps: []string{`OneHot()`, `Scale()`, `Standardize(PrivateRMS{Share: 0.2, Floor: 0.1})`},
		exact: []string{`OneHot()`, `Scale()`},
	},
	{
		name: "tecator", file: "tecator/tecator.csv", load: datasets.Tecator, task: Numbers,
		steps: []string{`Scale()`, `PCA(PrivateComponents{K: 5, Share: 0.3})`},
		exact: []string{`Scale()`},
	},
	{
		name: "simulated, low rank", load: lowRank, task: Classes,
		steps: []string{`Dedup(Exact{})`, `Impute(Mean{})`, `Scale()`, `PCA(Hard{K: 4, Gap: Declare(0.01)})`},
		exact: []string{`Dedup(Exact{})`, `Impute(Midpoint{})`, `Scale()`},
	},
	{
		name: "simulated, heavy tails", load: heavyTails, task: Numbers,
		steps: []string{`Winsorize(SmoothedQuantile{Q: 0.05, Window: 0.05}, "x1", "x2", "x3", "x4", "x5")`, `Scale()`},
		exact: []string{`Scale()`},
	},
}

// ends are the mechanisms that a chain may end with, the analyst's first, where the text between is ε and δ.
var ends = map[string][]string{
	Classes: {"FitLogistic(ByGradient{%s})", "FitLogistic(ByObjective{%s})", "FitLogistic(ByMixing{%s})"},
	Numbers: {"FitLinear(BestLinear{%s})", "FitLinear(AdaSSP{%s})", "FitLinear(LinearMixing{%s})", "FitLinear(OutputPerturbation{%s})"},
}

// pooledMNIST is [datasets.MNIST3v8] with the mean of each 2 × 2 square of pixels: 196 columns in place of 784.
func pooledMNIST() (*frames.Frame, string, error) {
	return lab.PooledSquares(2)
}

// rowsOf are all rows of a public frame.
func rowsOf(ctx context.Context, f *frames.PublicFrame) (rows [][]float64, labels []float64, err error) {
	err = f.Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			rows = append(rows, append([]float64{}, b.Row(i)...))
		}
		labels = append(labels, b.Y...)
		return nil
	})
	return rows, labels, err
}
