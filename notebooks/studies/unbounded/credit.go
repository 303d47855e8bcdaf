package unbounded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// creditColumns are amounts that no law bounds: guesses of their sizes, in New Taiwan dollars, from what a card is.
func creditColumns(label frames.Column) []frames.Column {
	cols := []frames.Column{frames.Ignored("ID"), frames.Unbounded("LIMIT_BAL").Guess(1e5)}
	for _, c := range []string{"SEX", "EDUCATION", "MARRIAGE"} {
		cols = append(cols, frames.Ignored(c))
	}
	cols = append(cols, frames.Unbounded("AGE").Guess(10))
	for _, c := range []string{"PAY_1", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6"} {
		cols = append(cols, frames.Ignored(c))
	}
	cols = append(cols, label, frames.Unbounded("BILL_AMT2").Guess(5e4))
	for _, c := range []string{"BILL_AMT3", "BILL_AMT4", "BILL_AMT5", "BILL_AMT6"} {
		cols = append(cols, frames.Ignored(c))
	}
	cols = append(cols, frames.Unbounded("PAY_AMT1").Guess(5e3))
	for _, c := range []string{"PAY_AMT2", "PAY_AMT3", "PAY_AMT4", "PAY_AMT5", "PAY_AMT6", "default.payment.next.month"} {
		cols = append(cols, frames.Ignored(c))
	}
	return cols
}

// CreditFile is the place of the credit data in a folder of data.
func CreditFile(data string) string { return filepath.Join(data, "credit", "UCI_Credit_Card.csv") }

// creditGuess bounds what a card's amounts may be: a guess, and clipping to it is what AdaSSP needs.
const creditGuess = 1e6

// CreditRows reads the rows under a label without bounds, or with guessed ones: four fifths, and a fifth that is declared public.
func CreditRows(path string, bounded bool) (*frames.Frame, *frames.PublicFrame, error) {
	label := frames.UnboundedLabel("BILL_AMT1").Guess(5e4)
	if bounded {
		label = frames.NumericLabel("BILL_AMT1", -creditGuess, creditGuess).Clamped()
	}
	s, err := frames.NewSchema(creditColumns(label)...)
	if err != nil {
		return nil, nil, err
	}
	all, err := frames.ReadCSV(path, s, frames.CSVOptions{Header: true})
	if err != nil {
		return nil, nil, err
	}
	private, public, err := frames.Split(all, 0.8, 1)
	if err != nil {
		return nil, nil, err
	}
	return private, frames.Public(public), nil
}

// CreditScales are those of [dpkit.Unbounded] for the credit rows: amounts are within a hundred times their guessed
// sizes, and no combination of them is below a hundredth.
func CreditScales(epsilon float64) dpkit.Unbounded {
	return dpkit.Unbounded{Epsilon: epsilon, Delta: delta, Smallest: 0.01, Largest: 100}
}

func (r *Results) credit(ctx context.Context, c Config) error {
	path := CreditFile(c.Data)
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(raw)
	r.CreditSHA = hex.EncodeToString(sum[:])
	for _, epsilon := range []float64{1, 2, 5, 10, 20} {
		one, err := CreditOnce(ctx, path, epsilon, c.Seed)
		if err != nil {
			return err
		}
		r.Credit = append(r.Credit, one)
	}
	r.NonPrivate, err = CreditNonPrivate(ctx, path)
	return err
}

// CreditOnce fits the credit rows at a target.
func CreditOnce(ctx context.Context, path string, epsilon float64, seed uint64) (Credit, error) {
	out := Credit{Epsilon: epsilon}
	private, public, err := CreditRows(path, false)
	if err != nil {
		return out, err
	}
	m, err := fit(ctx, private, seed, CreditScales(epsilon))
	switch {
	case errors.Is(err, dpkit.ErrParameter):
		out.Refused = "too few rows for this target"
	case err != nil:
		return out, err
	case m.Refused != "":
		out.Refused = m.Refused
	default:
		rmse, err := m.RMSE(ctx, public)
		if err != nil {
			return out, err
		}
		out.Adaptive = explained(rmse, public)
	}
	private, public, err = CreditRows(path, true)
	if err != nil {
		return out, err
	}
	s, err := dpkit.Demo(private, seed, dpkit.ReplaceOne)
	if err != nil {
		return out, err
	}
	l, err := s.Data().ClipColumns(-creditGuess, creditGuess, "LIMIT_BAL", "BILL_AMT2", "PAY_AMT1").ClipColumns(0, 100, "AGE").Scale().
		FitLinear(dpkit.AdaSSP{Epsilon: epsilon, Delta: delta}).Release(ctx)
	if err != nil {
		return out, err
	}
	rmse, err := l.Value.RMSE(ctx, public)
	out.Guessed = explained(rmse, public)
	return out, err
}

// CreditNonPrivate is R² of least squares without privacy.
func CreditNonPrivate(ctx context.Context, path string) (float64, error) {
	private, public, err := CreditRows(path, true)
	if err != nil {
		return 0, err
	}
	s, err := dpkit.OnPublic(frames.Public(private))
	if err != nil {
		return 0, err
	}
	l, err := s.Data().ClipColumns(-2e6, 2e6, "LIMIT_BAL", "BILL_AMT2", "PAY_AMT1").ClipColumns(0, 100, "AGE").Scale().FitLinear(dpkit.BestLinear{Epsilon: 1, Delta: delta}).Release(ctx)
	if err != nil {
		return 0, err
	}
	rmse, err := l.Value.RMSE(ctx, public)
	return explained(rmse, public), err
}

// explained is R² of predictions of public rows.
func explained(rmse float64, public *frames.PublicFrame) float64 {
	var n, sum, squares float64
	_ = public.Frame().Scan(context.Background(), func(b *frames.Block) error { // in memory: it does not fail
		for _, y := range b.Y {
			n++
			sum += y
			squares += y * y
		}
		return nil
	})
	variance := squares/n - sum/n*(sum/n)
	return lab.Round(1 - rmse*rmse/variance)
}
