// Package celltest runs the cells of an exported notebook as tests. The code that `nb export` writes
// calls it; nothing else needs to.
//
// A cell is a program of its own, so each test runs the test binary again: globals are fresh, the cell
// has arguments, an exit status and a standard output. Both processes work in a temporary copy of the
// notebook's folder, made before the first variable of the notebook is set: relative paths work, and
// neither a ledger nor a data file of the user is written. Hidden files are not copied, nor are those that the disk cannot hold,
// which are named. Ledgers, copied or reached elsewhere, replay the releases that the notebook made and refuse any other: a draw for a
// test gives away as much as one that is published. The state folder ($XDG_STATE_HOME) is one of the copy's, which begins as the user's:
// a ledger that is gone is missed, as by the notebook. Where there never was one the cells make one, which is thrown away, and what they
// print then is compared and not shown: run a notebook on private rows before its tests. The cells of one test run share the copy, in
// order, as they do in the notebook.
//
// Under go test -fuzz the workers share the copy of the process that started them, and corpora are those
// of the package: seeds are read from its testdata/fuzz, and findings are written there.
//
// What it does not do: a cell that writes to an absolute path writes there, a ledger that it makes included. Relative
// paths that lead out of the notebook's folder find nothing: what they would find is no copy. What a Test function of the notebook
// prints is its own under go test; nb test does not show it where the run drew.
package celltest
