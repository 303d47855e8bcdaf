// Package decisions asks whether decisions that are made before anything is spent are right: whether the way that
// [dpkit.Plan.Compare] recommends is the best one in hindsight, whether predicted intervals and accuracies hold, and whether any default
// does worse than what another library would have. The results of the full setting are part of the package ([Stored]); the command
//
//	DPNB_DATA=… go run ./notebooks/studies/decisions/cmd/decisions
//
// computes them again, in minutes.
//
// Each case is a data set with the chain that an analyst would write for it, at one ε. Its ways are all plans that differ from the
// written one in one decision: another way of one step, without the step, another mechanism at the end; and the plan that Compare
// recommends, which may differ in several. Every way is drawn many times, by demonstrations on training rows: from a seed, hence not
// private. It is scored on held-out rows that count as public.
package decisions
