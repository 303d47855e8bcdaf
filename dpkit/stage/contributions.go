package stage

// Contributions are a public bound on the rows of one person.
type Contributions struct {
	Rows int // K, at most, in all: so many rows are free; 0: there is no bound
	// Groups and PerGroup are G, how many groups of rows that agree in the columns By there are of a person at most, and R, how many rows in
	// each. Without By both are Rows.
	Groups, PerGroup int
	By               []string
}
