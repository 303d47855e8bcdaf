// Package export turns a GoNB notebook into a Go package of tests.
//
// [Notebook] reads the cells as the GoNB kernel (v0.11.4) does: special commands, %% and %main, %exec,
// declarations that later cells see. Each cell that runs becomes a test, TestCell05 for the fifth code
// cell: it runs in a process of its own, and what it prints is compared with the output that the
// notebook stores. Test, Benchmark and Fuzz functions become ordinary ones.
//
// Where a cell defines something again, removes it, or adds what could change earlier cells, a new
// epoch begins: a package of its own below the first (e02, e03, …) with everything that is defined by
// then. So earlier cells are tested with what they saw.
//
// What it refuses, it refuses with the cell and the line. It never guesses an import, as the kernel
// does: the package has to build the same way tomorrow.
//
// Comments in the cells direct the tests, one to a line, //| or // | first:
//
//	test                a test for a cell without a main: its initialisers run
//	skip                compiled, not run
//	eval: false         left out altogether, as if the cell were not there
//	slow                not with go test -short
//	name: some words    put behind the test's name
//	output: exact | unordered | ignore | contains TEXT | regexp RE | approx=1e-6
//	exit: 3             the exit status to expect, or "any" for any but 0
//	timeout: 30s
//	seed: 42            for math/rand's global source, and in the environment as NB_SEED
//	exercise: a name    for [Solve], which puts the solution of that name in the cell's place
//
// The tags skip-execution and raises-exception mean eval: false and exit: any. What cells print to
// stderr is not compared, and of rich displays only the MIME types are.
package export
