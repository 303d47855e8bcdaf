package relativegaussian

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed results.json
var stored []byte

// Stored returns the results of the full study that the notebook shows.
func Stored() (Results, error) {
	var r Results
	if err := json.Unmarshal(stored, &r); err != nil {
		return r, fmt.Errorf("relativegaussian: stored results: %w", err)
	}
	return r, nil
}
