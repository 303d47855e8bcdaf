package viz

import (
	"errors"
	"fmt"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

func inNotebook() bool { return gonbui.IsNotebook }

// syncTimeout bounds the wait for the kernel: gonbui.Sync has no limit of its own, and would wait
// forever if the pipe broke in between.
const syncTimeout = 5 * time.Second

// bundle is what a notebook is sent. GitHub strips style from HTML and shows PNG as it is; a
// terminal shows the text. The alternative text lies at the metadata's top level, where nbconvert
// looks for it; the width undoes the density of the image.
func (v View) bundle() (*protocol.DisplayData, error) {
	d := &protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextPlain: v.Text()}}
	if v.fig == nil {
		d.Data[protocol.MIMETextHTML] = v.HTML()
		if v.facts != "" {
			d.Metadata = map[string]any{metadataKey: v.facts}
		}
		return d, nil
	}
	png, err := v.PNG()
	if err != nil {
		return nil, err
	}
	d.Data[protocol.MIMEImagePNG] = png
	d.Metadata = map[string]any{
		"alt": v.alt,
		// A map of another type would not pass the pipe.
		string(protocol.MIMEImagePNG): map[string]int{"width": v.fig.pixels()},
	}
	return d, nil
}

// send displays d and waits until the kernel has taken it, so that what is printed next comes after it.
func send(d *protocol.DisplayData) error {
	gonbui.SendData(d)
	if err := gonbui.Error(); err != nil {
		return fmt.Errorf("viz: show: %w", err)
	}
	done := make(chan struct{})
	go func() { defer close(done); gonbui.Sync() }()
	select {
	case <-done:
		return nil
	case <-time.After(syncTimeout):
		return errors.Join(errors.New("viz: show: the kernel did not acknowledge the display"), gonbui.Error())
	}
}
