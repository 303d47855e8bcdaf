package dpkit

import (
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// manyVisits are a million rows of 50 000 people, 1 to 39 each, in 5 000 groups.
func manyVisits(tb testing.TB, rows int) *frames.Frame {
	tb.Helper()
	levels := make([]string, 5000)
	for i := range levels {
		levels[i] = "g" + strconv.Itoa(i)
	}
	schema := must(frames.NewSchema(frames.Person("id"), frames.Category("group", levels...), frames.Numeric("x", 0, 1), frames.Numeric("z", -1, 1)))
	rng := rand.New(rand.NewPCG(1, 20))
	b := &frames.Block{Cols: 3}
	for who := uint64(1); b.Rows < rows; who++ { // 0 is nobody
		var id frames.PersonID
		binary.LittleEndian.PutUint64(id[:], who)
		for range 1 + rng.IntN(39) {
			b.X = append(b.X, float64(rng.IntN(5000)), rng.Float64(), 2*rng.Float64()-1)
			b.Person = append(b.Person, id)
			b.Rows++
		}
	}
	rng.Shuffle(b.Rows, func(i, j int) {
		b.Person[i], b.Person[j] = b.Person[j], b.Person[i]
		for k := range 3 {
			b.X[3*i+k], b.X[3*j+k] = b.X[3*j+k], b.X[3*i+k]
		}
	})
	return must(frames.FromBlock(schema, b))
}

// BenchmarkTables is a table of three statistics by 5 000 groups, of people and of the same rows where nobody says whose they are.
func BenchmarkTables(b *testing.B) {
	visits := manyVisits(b, 1_000_000)
	p := must(Demo(visits, 1, ReplaceOne)).Data()
	alone := must(Demo(ofNobody(b, visits), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	for name, plan := range map[string]Plan[Table]{
		"of nobody":        alone.By("group").Count().Mean("x").Mean("z").Table(target),
		"rows":             p.Bound(Contributing{Rows: 10}).By("group").Count().Mean("x").Mean("z").Table(target),
		"groups":           p.Bound(Contributing{Groups: 5, RowsPerGroup: 2, By: []string{"group"}}).By("group").Count().Mean("x").Mean("z").Table(target),
		"people":           p.Bound(Contributing{Rows: 10}).By("group").People().Count().Mean("x").Mean("z").Table(target),
		"one row a person": p.PerPerson(MostFrequent{Column: "group"}, MeanOf{Column: "x"}, MeanOf{Column: "z"}).By("group").Count().Mean("mean of x").Mean("mean of z").Table(target),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := plan.Release(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// ofNobody are the same rows without whose they are.
func ofNobody(tb testing.TB, f *frames.Frame) *frames.Frame {
	tb.Helper()
	b := &frames.Block{}
	f.ReadRange(b, 0, f.Rows())
	b.Person = nil
	return must(frames.FromBlock(must(frames.NewSchema(f.Schema().Features()...)), b))
}
