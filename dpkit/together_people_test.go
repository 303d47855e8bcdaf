package dpkit

import "testing"

// TestTogetherReadsThePerson: the identity of a joint release knows whose rows they are. The same cells of other people are other data.
func TestTogetherReadsThePerson(t *testing.T) {
	s := must(Demo(visitFrame(t, []visit{{who: 0, stay: 1}, {who: 1, stay: 2}, {who: 1, stay: 3}}), 1, ReplaceOne))
	people := s.Data().PerPerson(CountRows{Max: 4}, MeanOf{Column: "stay"}, MostFrequent{Column: "ward"}).Where(Between("rows", 0, 4))
	target := Target{Epsilon: 1, Delta: 1e-6}
	pl := Together(target, people.Count(target, Between("rows", 2, 4)).Named("many"), people.Count(target, Between("rows", 0, 1)).Named("few")).plan()
	q := must(pl.joint.calibrated())
	q.readTogether(s)
	if got := q.parts[1].q.columns; len(got) == 0 || got[0] != "patient" {
		t.Errorf("a joint release reads %v, want the person %q among them", got, "patient")
	}
}
