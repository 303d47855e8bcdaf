package viz

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/gonb"
	"github.com/dpkit-go/dpnb/internal/tag"
)

// bundle is what a notebook is sent. GitHub strips style from HTML and shows PNG as it is; a
// terminal shows the text. The alternative text lies at the metadata's top level, where nbconvert
// looks for it; the width undoes the density of the image.
func (v View) bundle() (gonb.Display, error) {
	d := gonb.Display{Data: map[string]string{"text/plain": v.Text()}}
	if v.fig == nil {
		d.Data["text/html"] = v.HTML()
		if v.facts != "" {
			d.Metadata = map[string]string{tag.Key: v.facts}
		}
		return d, nil
	}
	image, err := v.PNG()
	if err != nil {
		return gonb.Display{}, err
	}
	const png = "image/png"
	d.Data[png], d.Raw = string(image), map[string]bool{png: true}
	d.Metadata, d.Widths = map[string]string{"alt": v.alt}, map[string]int{png: v.fig.pixels()}
	return d, nil
}

// send displays d and waits until the kernel has taken it, so that what is printed next comes after it.
func send(d gonb.Display) error {
	if err := gonb.Send(d, true); err != nil {
		return fmt.Errorf("viz: show: %w", err)
	}
	return nil
}
