package ledgerfile

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// Verification is what a look at a whole ledger file found.
type Verification struct {
	// Facts say what was verified, Notes what a reader should know, Problems what is wrong and how to
	// mend it.
	Facts, Notes, Problems []string
}

// OK reports whether nothing is wrong.
func (v Verification) OK() bool { return len(v.Problems) == 0 }

// Verify reads every line of the ledger at path: checksums, the hash chain, that each record follows
// from those before it, that the charges are within the budget, that a key beside the file is this
// ledger's, and that the file is the latest copy that the user's state folder knows of.
func Verify(path string) Verification {
	var v Verification
	problem := func(err error) {
		if err != nil {
			v.Problems = append(v.Problems, err.Error())
		}
	}
	l, err := ledger.OpenReader(path)
	if err != nil {
		problem(err)
		return v
	}
	defer l.Close()
	status, err := l.Status()
	if err != nil {
		problem(err)
		return v
	}
	s, err := l.Statement()
	if err != nil {
		problem(err)
		return v
	}
	v.Facts = append(v.Facts,
		fmt.Sprintf("%d records, checksums and hash chain verify up to %.16s…", s.Records, s.Head),
		fmt.Sprintf("%s of %q: ε ≤ %s of %v, δ = %v, per %v, %v", plural(s.Total.Releases, "release"), s.Dataset,
			accountant.FormatUp(s.Total.Epsilon), s.Budget.Epsilon, s.Total.Delta, s.Unit, s.Neighbours))
	if !s.Total.Holds {
		v.Problems = append(v.Problems, "the charges exceed the budget: another program wrote to the file, or the budget was calibrated anew: nothing more can be charged, and ε and δ above are what was spent")
	}
	latest := l.Latest()
	problem(latest)
	if _, err := l.Key(); errors.Is(err, fs.ErrNotExist) {
		v.Notes = append(v.Notes, err.Error()) // a copy for a reader has none
	} else {
		problem(err)
	}
	for _, w := range status.Warnings {
		if latest == nil || w != latest.Error() {
			v.Notes = append(v.Notes, w)
		}
	}
	for _, e := range status.Interrupted {
		v.Notes = append(v.Notes, fmt.Sprintf("record %d of %s was charged and has no value (%s): Fresh pays again", e.Seq, e.When.Format(time.DateOnly), e.State))
	}
	if status.Torn > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("an unfinished record of %s at the end is ignored: nothing was drawn after it", plural(status.Torn, "byte")))
	}
	return v
}

func plural[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(int64(n), 10) + " " + what + "s"
}
