package viz

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/internal/gonb"
)

// Progress returns a function that reports that done of total parts are ready: in a notebook as a
// bar that is updated in place, on a terminal as a line of standard error, elsewhere not at all.
// Both disappear at the end, when done reaches total. It is not for concurrent use. How far a
// computation on private rows has come is timing, which no guarantee covers: do not publish it.
func Progress(title string) func(done, total int) {
	title = clean(title)
	switch {
	case gonb.InNotebook():
		id := "progress_" + rand.Text()
		return paced(time.Now, func(done, total int) {
			bar := ""
			if done < total {
				bar = View{blocks: []block{*progressMeter(title, done, total)}}.HTML()
			}
			// A bar that cannot be shown must not stop what it reports on.
			_ = gonb.Send(gonb.Display{Data: map[string]string{"text/html": bar}, ID: id}, false)
		})
	case isTerminal(os.Stderr):
		return paced(time.Now, progressLine(os.Stderr, title))
	default:
		return func(int, int) {}
	}
}

func progressMeter(title string, done, total int) *meter {
	return &meter{Label: fmt.Sprintf("%s: %d of %d", title, done, total), Value: float64(done), Max: float64(total)}
}

// progressLine rewrites one line of a terminal.
func progressLine(w io.Writer, title string) func(done, total int) {
	return func(done, total int) {
		const clear = "\r\x1b[K"
		if done >= total {
			fmt.Fprint(w, clear)
			return
		}
		t := &textWriter{}
		progressMeter(title, done, total).text(t)
		fmt.Fprint(w, clear+strings.TrimSuffix(t.String(), "\n"))
	}
}

// paced drops the reports that come within a tenth of a second of the one shown before, but never
// the end of what is visible, which it shows once.
func paced(now func() time.Time, show func(done, total int)) func(done, total int) {
	var last time.Time
	visible := false
	return func(done, total int) {
		t := now()
		end := done >= total
		if end && !visible || !end && visible && t.Sub(last) < 100*time.Millisecond {
			return
		}
		visible, last = !end, t
		show(done, total)
	}
}

// isTerminal reports whether f is a character device, which a pipe and a file are not.
func isTerminal(f *os.File) bool {
	s, err := f.Stat()
	return err == nil && s.Mode()&os.ModeCharDevice != 0
}
