package perinstance

import (
	_ "embed"
	"encoding/json"
)

//go:embed results.json
var stored []byte

// Stored returns the results of the full study.
func Stored() (*Results, error) {
	var r Results
	return &r, json.Unmarshal(stored, &r)
}
