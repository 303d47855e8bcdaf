// Package nb is the model of a Jupyter notebook (.ipynb, nbformat 4): it reads, changes and writes one without Jupyter and without Python.
//
// [ReadFile] and [Notebook.WriteFile] keep what they do not know, and write a notebook that Jupyter wrote byte for byte as it was.
// [Notebook.Clean] removes what changes from run to run; [SetParameters] gives tagged cells other values before a run; [ParseGoCell]
// takes a cell apart as GoNB does.
//
// What is done with a notebook is in the packages below: kernel runs its cells, page renders it, export makes Go tests of it and checks
// its stored outputs. The command is github.com/dpkit-go/dpnb/notebooks/cmd/nb.
package nb
