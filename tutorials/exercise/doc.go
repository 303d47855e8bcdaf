// Package exercise checks the exercises of the tutorials: in a cell, where it says what is still wrong and never
// fails, and under go test, where an exercise is a test.
//
//	func exerciseScale(c *exercise.C) {
//		c.Near("Δ = 1, ε = 0.5", scale(1, 0.5), 2, 1e-9)
//	}
//	func TestExerciseScale(t *testing.T) { exercise.Test(t, exerciseScale) }
//
//	%%
//	exercise.Show("Scale", exerciseScale)
//
// The cell that a reader fills in has the comment //| exercise: scale, and so has the cell of the notebook with
// the solutions that takes its place. nb exercises tries both: each exercise has to fail as it is given and to pass as it is
// solved. nb test skips exercises that are not solved.
package exercise
