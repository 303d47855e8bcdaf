// Command perinstance runs the study and writes its results.
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
	out := flag.String("o", "notebooks/studies/perinstance/results.json", "file to write")
	flag.Parse()
	r, err := perinstance.Run(context.Background(), perinstance.Full())
	if err != nil {
		log.Fatal(err)
	}
	if len(r.Kidney) == 0 {
		log.Fatal("DPNB_DATA is not set: there are no real files")
	}
	raw, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, append(raw, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
}
