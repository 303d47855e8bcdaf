// Command perinstance runs the study and writes its results; with -printed the comparison with the printed report.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"

	"github.com/dpkit-go/dpnb/notebooks/studies/perinstance"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "", "file to write; empty: the stored results")
	printed := flag.Bool("printed", false, "run the comparison with the printed report")
	flag.Parse()
	ctx := context.Background()
	var results any
	var whole bool
	if *printed {
		r, err := perinstance.RunPrinted(ctx, perinstance.FullPrinted())
		if err != nil {
			log.Fatal(err)
		}
		results, whole = r, len(r.Sets) > 0
	} else {
		r, err := perinstance.Run(ctx, perinstance.Full())
		if err != nil {
			log.Fatal(err)
		}
		results, whole = r, len(r.Kidney) > 0
	}
	if !whole {
		log.Fatal("DPNB_DATA is not set: there are no real files")
	}
	raw, err := json.MarshalIndent(results, "", "\t")
	if err != nil {
		log.Fatal(err)
	}
	if *printed { // histograms fill thousands of lines
		if raw, err = json.Marshal(results); err != nil {
			log.Fatal(err)
		}
	}
	path := *out
	if path == "" {
		path = "notebooks/studies/perinstance/results.json"
		if *printed {
			path = "notebooks/studies/perinstance/printed.json"
		}
	}
	if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}
