package viz

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
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
				bar = View{blocks: []block{*loadingMeter(*p)}}.HTML()
			}
			// A bar that cannot be shown must not stop what it reports on.
			_ = gonb.Send(gonb.Display{Data: map[string]string{"text/html": bar}, ID: id}, false)
		})
	case isTerminal(os.Stderr):
		return oneByOne(func(p *frames.Progress) {
			const clear = "\r\x1b[K"
			text := ""
			if p != nil {
				t := &textWriter{}
				loadingMeter(*p).text(t)
				text = strings.TrimSuffix(t.String(), "\n")
			}
			fmt.Fprint(os.Stderr, clear+text)
		})
	}
	return func(frames.Progress) {}
}

func loadingMeter(p frames.Progress) *meter {
	return &meter{Label: clean(p.String()), Value: p.Share(), Max: 1}
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
