package dpkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
)

// TestJoinPeopleInALedger: a release of two tables replays for the same rows of both, is another one for other rows that it reads, is bound to
// them by name, and holds what Parse reads back.
func TestJoinPeopleInALedger(t *testing.T) {
	for name, chain := range map[string]func(d, second Pipeline) Pipeline{
		"one row each": func(d, second Pipeline) Pipeline {
			return d.PerPerson(CountRows{Max: 40}).JoinPeople(second.PerPerson(SumOf{Column: "dose", Hi: 20, As: "dose"}))
		},
		"each row": func(d, second Pipeline) Pipeline {
			return d.JoinPeople(second, PairedRows{First: 5, Second: 4}).PerPerson(SumOf{Column: "dose", Hi: 20, As: "dose"})
		},
		"each row that is kept": func(d, second Pipeline) Pipeline {
			return d.JoinPeople(second.Where(Is("drug", "b")).Select("dose"), PairedRows{First: 5, Second: 4}).PerPerson(SumOf{Column: "dose", Hi: 20, As: "dose"})
		},
	} {
		t.Run(name, func(t *testing.T) { joinInALedger(t, chain) })
	}
}

func joinInALedger(t *testing.T, chain func(d, second Pipeline) Pipeline) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 21))
	visits, drugs := visitFrame(t, hostileVisits(rng, 30)), hostileDrugs(rng, 30)
	path := filepath.Join(t.TempDir(), "budget.ledger")
	open := func(of *frames.Frame) (*Session, Plan[Estimates]) {
		s := must(Create(visits, Options{Ledger: path, Budget: Budget{Epsilon: 4, Delta: 1e-5}, Neighbours: ReplaceOne, Dataset: "visits of " + path}))
		t.Cleanup(func() { _ = s.Close() })
		second := must(s.AddTable("drugs", of))
		return s, chain(s.Data(), second).Mean(Target{Epsilon: 1, Delta: 1e-6})
	}
	s, plan := open(drugFrame(t, drugs))
	r := must(plan.Release(t.Context()))
	if r.Replayed || !strings.Contains(fmt.Sprint(r.Guarantee), "person") {
		t.Errorf("%+v", r.Guarantee)
	}
	again := must(must(Parse[Estimates](s, plan.String())).Release(t.Context()))
	if !again.Replayed || fmt.Sprint(again.Value.Values) != fmt.Sprint(r.Value.Values) {
		t.Errorf("%s is read back as another release", plan)
	}
	_ = s.Close()
	_, plan = open(drugFrame(t, drugs[1:]))
	if _, err := plan.Release(t.Context()); !errors.Is(err, ledger.ErrDataset) || strings.Contains(fmt.Sprint(err), "dose,") {
		t.Errorf("other rows of the second table: %v", err)
	}
}

// TestJoinPeopleInModels: a model that was fitted behind a join reads joined rows, and a plan behind one compares and splits.
func TestJoinPeopleInModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 21))
	s := must(Demo(visitFrame(t, hostileVisits(rng, 60)), 1, ReplaceOne))
	second := must(s.AddTable("drugs", drugFrame(t, hostileDrugs(rng, 60))))
	p := s.Data().PerPerson(CountRows{Max: 40}, PersonLabel{Of: MostFrequent{Column: "back", As: "came"}}).
		JoinPeople(second.PerPerson(CountRows{Max: 20, As: "drugs"}, MeanOf{Column: "dose", As: "dose"}))
	train, test := p.Holdout(0.25)
	m := must(train.Impute(Midpoint{}).Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
	var read LogisticModel
	if err := json.Unmarshal(must(json.Marshal(m)), &read); err != nil {
		t.Fatal(err)
	}
	row := map[string]any{"rows": 3, "drugs": 2, "dose": nil}
	if a, b := must(m.PredictRow(row)), must(read.PredictRow(row)); a != b {
		t.Errorf("predicts %v, read back %v", a, b)
	}
	must(test.Impute(Midpoint{}).Score(Target{Epsilon: 1, Delta: 1e-6}, m).Release(t.Context()))
	for _, plan := range []AnyPlan{p.Select("drugs").Mean(Target{Epsilon: 1, Delta: 1e-6}), p.By("came").Mean("drugs").Table(Target{Epsilon: 1, Delta: 1e-6})} {
		if _, _, err := plan.plan().compare(); err != nil {
			t.Error(err)
		}
	}
}

// TestJoinPeopleAtATime: releases of two tables and further tables may come at a time, and each has the bits that it has alone.
func TestJoinPeopleAtATime(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 21))
	s := must(Demo(visitFrame(t, hostileVisits(rng, 60)), 1, ReplaceOne))
	drugs := drugFrame(t, hostileDrugs(rng, 60))
	second := must(s.AddTable("drugs", drugs))
	release := func() (string, error) {
		p := s.Data().PerPerson(CountRows{Max: 40}).JoinPeople(second.PerPerson(SumOf{Column: "dose", Hi: 20, As: "dose"})).ClipColumns(0, 20, "rows", "dose").Scale()
		r, err := p.Mean(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())
		return fmt.Sprint(r.Value.Values), err
	}
	want := must(release())
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if _, err := s.AddTable(fmt.Sprint("more", i), drugs); err != nil {
				t.Error(err)
			}
			if got, err := release(); err != nil || got != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
	wg.Wait()
}
