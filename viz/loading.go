package viz

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/gonb"
)

// Loading returns a function for [frames.Watch] that shows how far the reading of rows has come, with rows a second and what is left, as [Progress]
// shows other work: in a notebook as a bar, on a terminal as a line of standard error, elsewhere not at all. Of passes that run at a time it shows
// the one that began first. What takes less than half a second is not shown.
//
//	defer frames.Watch(viz.Loading())()
func Loading() func(frames.Progress) {
	switch {
	case gonb.InNotebook():
		id := "progress_" + rand.Text()
		return oneByOne(func(p *frames.Progress) {
			bar := ""
			if p != nil {
				bar = View{blocks: []block{loading(*p)}}.HTML()
			}
			// A bar that cannot be shown must not stop what it reports on.
			_ = gonb.Send(gonb.Display{Data: map[string]string{"text/html": bar}, ID: id}, false)
		})
	case isTerminal(os.Stderr):
		return oneByOne(func(p *frames.Progress) {
			const clear = "\r\x1b[K"
			text := ""
			if p != nil {
				text = loadingLine(*p)
			}
			fmt.Fprint(os.Stderr, clear+text)
		})
	}
	return func(frames.Progress) {}
}

// loading is a pass as a bar, or as a line where nobody knows how much of it is left.
func loading(p frames.Progress) block {
	if len(p.Name) > 0 {
		p.Name = short(filepath.Base(p.Name))
	}
	if label := clean(p.String()); p.OfRows == 0 && p.OfBytes == 0 {
		return para{label}
	} else {
		return meter{Label: label, Value: p.Share(), Max: 1}
	}
}

// loadingLine is that in one line of a terminal of 80 columns: a line that wraps is not cleared.
func loadingLine(p frames.Progress) string {
	line := ""
	switch b := loading(p).(type) {
	case meter:
		line = b.line(14)
	case para:
		line = b.Text
	}
	if r := []rune(line); len(r) > 79 {
		line = string(r[:78]) + "…"
	}
	return line
}

// short is a file's name in at most 24 characters: its end tells files apart.
func short(name string) string {
	r := []rune(name)
	if len(r) <= 24 {
		return name
	}
	return "…" + string(r[len(r)-23:])
}

// shortest is how long a pass takes that is shown.
const shortest = 500 * time.Millisecond

// oneByOne shows the pass that is shown until it ends, then nil, and then another.
func oneByOne(show func(*frames.Progress)) func(frames.Progress) {
	var mu sync.Mutex
	var shown frames.Progress
	return func(p frames.Progress) {
		mu.Lock()
		defer mu.Unlock()
		free := shown.What == ""
		switch {
		case free && (p.Done || p.Elapsed < shortest):
		case !free && (p.What != shown.What || p.Name != shown.Name):
		case p.Done:
			shown = frames.Progress{}
			show(nil)
		default:
			shown = p
			show(&p)
		}
	}
}
