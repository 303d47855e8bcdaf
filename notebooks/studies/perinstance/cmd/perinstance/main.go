// Command perinstance runs the study and the comparison with the report as printed, and writes their results.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/dpkit-go/dpnb/notebooks/studies/perinstance"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "notebooks/studies/perinstance", "folder to write to")
	printed := flag.Bool("printed", false, "run the comparison alone")
	flag.Parse()
	if os.Getenv("DPNB_DATA") == "" {
		log.Fatal("DPNB_DATA is not set: there are no real files")
	}
	ctx := context.Background()
	if !*printed {
		r, err := perinstance.Run(ctx, perinstance.Full())
		store(*out, "results.json", r, err, true)
	}
	// It takes the noise of its releases from the stored results, which are those that this program was built with.
	r, err := perinstance.RunPrinted(ctx, perinstance.FullPrinted())
	store(*out, "printed.json", r, err, false)
}

func store(folder, name string, results any, err error, indent bool) {
	if err != nil {
		log.Fatal(err)
	}
	raw, err := json.Marshal(results)
	if err != nil {
		log.Fatal(err)
	}
	text := bytes.NewBuffer(raw)
	if indent {
		text = new(bytes.Buffer)
		if err := json.Indent(text, raw, "", "\t"); err != nil {
			log.Fatal(err)
		}
	}
	text.WriteByte('\n')
	if err := os.WriteFile(filepath.Join(folder, name), text.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
