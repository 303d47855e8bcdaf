// Package nb reads, runs and writes Go notebooks (.ipynb) without Jupyter and without Python.
//
// [ReadFile] and [Notebook.WriteFile] keep what they do not know, and write a notebook that Jupyter
// wrote byte for byte as it was. [Run] executes one on the GoNB kernel that the notebook's module pins
// as a Go tool: it builds the kernel once per version, starts it in the notebook's folder and speaks
// the Jupyter protocol with it. [SetParameters] gives tagged cells other values before a run.
// Package page renders one as a page.
//
// What Run guarantees: a cell that failed is never reported as a success, failing shell lines
// included; outputs are those of this run alone; when it returns, or when the program is killed, the
// kernel, the processes that it and the cells started in its process group, and the temporary files
// are gone. What it does not: a process that leaves the group (setsid) is out of reach, and a cell
// that shows rich output without gonbui.Sync at its end may lose it, as in Jupyter.
//
// The command is github.com/dpkit-go/dpnb/notebooks/cmd/nb.
package nb
