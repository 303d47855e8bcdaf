package stage

// RowsDropped is the column in which the first row of each person says how many rows a bound dropped of them, up to a public number; the
// others say 0.
const RowsDropped = "rows dropped"

// Contributions are a public bound on the rows of one person.
type Contributions struct {
	Rows int // K, at most, in all: so many rows are free; 0: there is no bound
	// Groups and PerGroup are G, how many groups of rows that agree in the columns By there are of a person at most, and R, how many rows in
	// each. Without By both are Rows.
	Groups, PerGroup int
	By               []string
	// Dropped is up to how many rows that a bound dropped the first row of each person says, in the column RowsDropped; 0: there is none.
	Dropped int
}
