package baseline

import "github.com/dpkit-go/dpnb/dpkit/internal/models"

// Methods of [dpkit.Linear].
const (
	// Sheffet2017 is a sketch without noise if a private test finds that the data need none, else one with noise, at the
	// paper's constants (Sheffet 2017, Algorithm 1, units corrected). For add/remove only.
	Sheffet2017 = models.Sheffet2017
	// Sheffet2017Exact is Sheffet2017 with the sketch calibrated by its exact profile.
	Sheffet2017Exact = models.Sheffet2017Exact
)
