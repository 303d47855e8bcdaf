package stage

// Next is the stage behind a step that was priced at st.
func (st Stage) Next(pr Propagation) Stage {
	return Stage{
		In: st.Out, Out: st.Out, Before: pr.Pair, After: pr.Pair, Taint: pr.Taint,
		Empty: st.Empty || pr.Empties, Unordered: st.Unordered || pr.Empties,
	}
}
