package stage

// What a step may be able to do besides, by more methods. Nothing else is asked for.

// A Deployer is a [Preprocessor] that has an equivalent or a stand-in made of public facts, for
// rows that arrive at prediction time. A release of a model that reads rows calls it, of each step before the model, and
// refuses a step that is none.
type Deployer interface {
	// Deploy returns the map from rows of st.In to rows of st.Out.
	Deploy(st Stage) (RowMap, error)
}

// Alternatives is a step that can be taken in several ways, itself among them. mu is the noise
// parameter μ of the whole release. Method Compare of a plan calls it, to price the chain with each of them.
type Alternatives interface {
	Preprocessor
	Alternatives(st Stage, mu float64) []Alternative
}
