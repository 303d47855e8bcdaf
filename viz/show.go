package viz

import (
	"fmt"
	"os"
)

func inNotebook() bool { return os.Getenv(pipeEnv) != "" }

// bundle is what a notebook is sent. GitHub strips style from HTML and shows PNG as it is; a
// terminal shows the text. The alternative text lies at the metadata's top level, where nbconvert
// looks for it; the width undoes the density of the image.
func (v View) bundle() (display, error) {
	d := display{data: map[string]string{"text/plain": v.Text()}}
	if v.fig == nil {
		d.data["text/html"] = v.HTML()
		if v.facts != "" {
			d.metadata = map[string]string{metadataKey: v.facts}
		}
		return d, nil
	}
	image, err := v.PNG()
	if err != nil {
		return display{}, err
	}
	const png = "image/png"
	d.data[png], d.raw = string(image), map[string]bool{png: true}
	d.metadata, d.widths = map[string]string{"alt": v.alt}, map[string]int{png: v.fig.pixels()}
	return d, nil
}

// send displays d and waits until the kernel has taken it, so that what is printed next comes after it.
func send(d display) error {
	if err := kernelPipe.send(d, true); err != nil {
		return fmt.Errorf("viz: show: %w", err)
	}
	return nil
}
