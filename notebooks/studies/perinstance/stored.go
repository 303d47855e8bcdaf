package perinstance

import (
	_ "embed"
	"encoding/json"
)

//go:embed results.json
var stored []byte

//go:embed printed.json
var storedPrinted []byte

// Stored returns the results of the full study.
func Stored() (*Results, error) {
	var r Results
	return &r, json.Unmarshal(stored, &r)
}

// StoredPrinted returns the results of the full comparison with the printed report.
func StoredPrinted() (*PrintedResults, error) {
	var r PrintedResults
	return &r, json.Unmarshal(storedPrinted, &r)
}
