package frames

import (
	"slices"
	"sync"
)

// Narrow returns the rows of a source to who needs the cells of the given columns alone. Of a [Frame] no others are read by ReadRange: they have
// some value of their column's domain, the same in every row. People are always read. Other sources are returned as they are.
func Narrow(src Source, columns ...string) Source {
	f, ok := src.(*Frame)
	if !ok || f == nil || f.table == nil {
		return src
	}
	s := f.Schema().s
	n := &narrowed{Frame: f, like: make([]float64, len(s.features)), blocks: &sync.Pool{}}
	read := make(map[string]bool, len(columns))
	for _, name := range columns {
		read[name] = true
	}
	for j, i := range s.features {
		c := &s.cols[i]
		switch {
		case read[c.Name]:
			if last := len(n.runs) - 1; last >= 0 && n.runs[last][1] == j {
				n.runs[last][1]++
			} else {
				n.runs = append(n.runs, [2]int{j, j + 1})
			}
			n.like[j] = 0
		case !c.classes() && c.Kind == KindNumeric && !c.NoBounds:
			n.like[j] = min(max(0, c.Lo), c.Hi)
		}
	}
	n.labels = s.label < 0 || read[s.cols[s.label].Name]
	if all := len(s.features); n.labels && (all == 0 || slices.Equal(n.runs, [][2]int{{0, all}})) {
		return src
	}
	if !n.labels {
		if c := &s.cols[s.label]; !c.classes() && !c.NoBounds {
			n.label = min(max(0, c.Lo), c.Hi)
		}
	}
	return f.data().view(n)
}

// view is the view that was asked for last, if it is of the same columns as n, or n: its blocks lie ready.
func (t *table) view(n *narrowed) *narrowed {
	last := t.narrow.Load()
	if last != nil && last.labels == n.labels && slices.Equal(last.runs, n.runs) {
		return last
	}
	t.narrow.Store(n)
	return n
}

// narrowed is a frame of which some columns are read.
type narrowed struct {
	*Frame
	runs   [][2]int   // from..to of the features that are read
	like   []float64  // a row of what stands for the others
	labels bool       // they are read
	label  float64    // what stands for them otherwise
	blocks *sync.Pool // of *Block, that ReadRange wrote before; by itself, since the runtime keeps what it lies in for a while
}

// Lent returns a block for ReadRange, whose memory is used again by who reads the same columns once it was given back.
func (v *narrowed) Lent() *Block {
	if b, ok := v.blocks.Get().(*Block); ok {
		return b
	}
	return &Block{}
}

// GiveBack takes a block from Lent that nobody reads any more.
func (v *narrowed) GiveBack(b *Block) { v.blocks.Put(b) }

// like says of which view the cells of a block are that nobody reads, and of how many rows, if they still lie there.
type like struct {
	of   *narrowed
	x, y *float64
	rows int
}

// ReadRange implements [Ranger].
func (v *narrowed) ReadRange(b *Block, first, n int) {
	t, d := v.data(), len(v.like)
	t.shape(b, first, n)
	var x, y *float64
	if len(b.X) > 0 {
		x = &b.X[0]
	}
	if len(b.Y) > 0 {
		y = &b.Y[0]
	}
	if l := b.like; l.of != v || l.x != x || l.y != y || l.rows < n {
		for i := range n {
			copy(b.X[i*d:(i+1)*d], v.like)
		}
		for i := range b.Y {
			b.Y[i] = v.label
		}
		b.like = like{v, x, y, n}
	}
	t.readFeatures(b.X, v.runs, first, n)
	if v.labels && b.Y != nil {
		t.label().read(b.Y, 1, first, n)
	}
	if c := t.person(); c != nil {
		c.readPeople(b.Person, first)
	}
}
