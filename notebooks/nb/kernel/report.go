package kernel

import "time"

// Options configures Run.
type Options struct {
	Dir       string        // folder in which the cells run, as a rule the notebook's; "": the current one
	Timeout   time.Duration // for one cell; 0: 10 minutes; negative: none
	Grace     time.Duration // between the interrupt of a cell and the end of the kernel; 0: 7 s (GoNB itself kills after 5 s)
	KeepGoing bool          // run the cells after a failed one
	Env       []string      // "NAME=value", added to the environment of kernel and cells
	Cache     string        // where the kernel is kept once built, and how its cells were; "": dpnb/tools in the user's cache folder
	Progress  func(Event)   // called in order, from one goroutine; nil: no reports
	Bundle    string        // a folder: build programs of several cells there before the run, and remove them; see Run
}

// Report says how a run went. It is not written to the notebook: durations would change it every time.
type Report struct {
	Cells  []CellReport  // one for each code cell that is not empty
	Failed int           // how many failed
	Start  time.Duration // until the kernel answered, the build of the tools included
	Total  time.Duration

	Bundled bool // programs of several cells stood ready; see [Options]
}

// CellReport says how one cell went.
type CellReport struct {
	Index       int // in Notebook.Cells
	Status      Status
	Duration    time.Duration
	FirstOutput time.Duration // until the first output, 0 where there was none
	Err         error         // *CellError where the status is Failed or ExpectedFailure
}

// Status is the outcome of a cell.
type Status string

const (
	Skipped         Status = "skipped"            // not reached, or tagged skip-execution
	OK              Status = "ok"                 // it ran to its end, without an error
	Failed          Status = "failed"             // by an error that the cell's report holds
	ExpectedFailure Status = "failed as expected" // a cell tagged raises-exception
)

// Event is a step of a run.
type Event struct {
	Kind   EventKind
	Cell   int    // 1-based, among Of
	Of     int    // code cells that are not empty
	Source string // of the cell
	Stream string // CellOutput: "stdout" or "stderr"
	Text   string // CellOutput: stream text; Note: what is done
	Report CellReport
}

// EventKind says which fields of an Event are set.
type EventKind int

const (
	Note       EventKind = iota // before the first cell: Text
	CellStart                   // Cell, Of, Source
	CellOutput                  // Cell, Of, Stream, Text
	CellEnd                     // Cell, Of, Source, Report
)
