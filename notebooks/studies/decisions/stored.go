package decisions

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed results.json
var stored []byte

// Stored returns the results of the full setting that are part of the package.
func Stored() (Results, error) {
	var r Results
	if err := json.Unmarshal(stored, &r); err != nil {
		return r, fmt.Errorf("decisions study: stored results: %w", err)
	}
	return r, nil
}
