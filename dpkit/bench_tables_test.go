package dpkit

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// visitsBench are rows of people, 1 to 39 each, in shuffled order, with a key of many levels and two numbers.
func visitsBench(b *testing.B, n, people, levels int, person bool) *frames.Frame {
	rng := rand.New(rand.NewPCG(1, 2))
	names := make([]string, levels)
	for i := range names {
		names[i] = fmt.Sprintf("key%05d", i)
	}
	cols := []frames.Column{frames.Category("g", names...), frames.Numeric("x", 0, 1), frames.Numeric("y", 0, 1)}
	if person {
		cols = append([]frames.Column{frames.Person("id")}, cols...)
	}
	schema := must(frames.NewSchema(cols...))
	block := &frames.Block{Cols: 3, Rows: n, X: make([]float64, 3*n)}
	whose := make([]int, 0, n)
	for who := 0; len(whose) < n; who++ {
		for range min(1+rng.IntN(39), n-len(whose)) {
			whose = append(whose, who%people)
		}
	}
	rng.Shuffle(n, func(i, j int) { whose[i], whose[j] = whose[j], whose[i] })
	z := rand.NewZipf(rng, 1.3, 1, uint64(levels-1))
	for i := range n {
		row := block.X[3*i : 3*i+3]
		row[0], row[1], row[2] = float64(z.Uint64()), rng.Float64(), rng.Float64()
		if person {
			var id frames.PersonID
			binary.LittleEndian.PutUint64(id[:], uint64(whose[i]+1)) // 0 is nobody
			block.Person = append(block.Person, id)
		}
	}
	return must(frames.FromBlock(schema, block))
}

// BenchmarkTables is a table of three statistics by 5 000 groups of 1e6 rows.
func BenchmarkTables(b *testing.B) {
	of := []struct {
		name   string
		person bool
		plan   func(Pipeline) Plan[Table]
	}{
		{"rows", false, func(p Pipeline) Plan[Table] {
			return p.By("g").Count().Sum("x").Mean("y").Table(Target{Epsilon: 1, Delta: 1e-6})
		}},
		{"collapsed", true, func(p Pipeline) Plan[Table] {
			return p.PerPerson(MostFrequent{Column: "g"}, MeanOf{Column: "x"}, MaxOf{Column: "y"}, CountRows{Max: 40}).By("g").Count().Sum("rows").Table(Target{Epsilon: 1, Delta: 1e-6})
		}},
	}
	for _, c := range of {
		b.Run(c.name, func(b *testing.B) {
			f := visitsBench(b, 1_000_000, 50_000, 5_000, c.person)
			b.ReportAllocs()
			for b.Loop() {
				s := must(Demo(f, 1, ReplaceOne))
				if _, err := c.plan(s.Data()).Release(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
