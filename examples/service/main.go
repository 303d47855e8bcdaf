// Service answers rows in JSON with a model's predictions:
//
//	go run ./examples/service &
//	curl -d '{"age": 40, "work": "private"}' localhost:8080/predict
//
// With -model it reads a model that a release wrote by json.Marshal(result.Value); without, it fits one to made-up rows.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"net/http"

	"github.com/dpkit-go/dpnb/dpkit"
)

func main() {
	path, addr := flag.String("model", "", "file of a logistic model; none: one of made-up rows"), flag.String("addr", "localhost:8080", "address to listen on")
	flag.Parse()
	model, err := open(*path)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%v on http://%s, which reads\n%v", model, *addr, model.Inputs())
	http.Handle("POST /predict", service(model))
	log.Fatal(http.ListenAndServe(*addr, nil))
}

func service(model *dpkit.LogisticModel) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var row map[string]any
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&row)
		p := 0.0
		if err == nil {
			p, err = model.PredictRow(row) // an error repeats cells of this row alone
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		json.NewEncoder(w).Encode(map[string]float64{model.Classes[1]: p})
	}
}
