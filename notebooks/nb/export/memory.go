package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// memory is what the kernel remembers between cells: each key of an item, and which of its keys it is.
// As in GoNB, an item is written out as long as its first key still leads to it.
type memory map[memoryKey]memoryEntry

type memoryKey struct {
	kind kind
	key  string
}

type memoryEntry struct {
	*item
	index int // of the key in item.keys
}

// items returns what would be written out, in order of appearance; variables and init functions in
// the kernel's order, which is that of their keys, as it decides what runs first.
func (m memory) items() []*item {
	var list []*item
	for _, e := range m {
		if e.index == 0 {
			list = append(list, e.item)
		}
	}
	rank := map[kind]int{kindImport: 0, kindConst: 1, kindType: 2, kindVar: 3, kindFunc: 4}
	ordered := func(it *item) bool { return it.kind == kindVar || it.kind == kindFunc && it.names == nil }
	slices.SortFunc(list, func(a, b *item) int {
		if c := cmp.Compare(rank[a.kind], rank[b.kind]); c != 0 {
			return c
		}
		if ordered(a) && ordered(b) {
			return cmp.Or(cmp.Compare(a.keys[0], b.keys[0]), cmp.Compare(a.pos.Cell, b.pos.Cell))
		}
		return cmp.Or(cmp.Compare(a.pos.Cell, b.pos.Cell), cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.keys[0], b.keys[0]))
	})
	return list
}

// merge takes the declarations of a cell in.
func (m memory) merge(list []*item) {
	var fresh []*item
	for _, it := range list {
		if !m.holds(it) {
			fresh = append(fresh, it)
		}
	}
	for _, it := range fresh {
		for _, key := range it.keys {
			old, ok := m[memoryKey{it.kind, key}]
			if ok && old.tuple && key != "_" {
				for _, k := range old.keys {
					delete(m, memoryKey{kindVar, k})
				}
			}
		}
	}
	for _, it := range fresh {
		for i, key := range it.keys {
			if it.kind == kindVar && key == "_" { // each stands for itself
				key = fmt.Sprintf("_~%d.%d.%d", it.pos.Cell, it.pos.Line, i)
			}
			m[memoryKey{it.kind, key}] = memoryEntry{it, i}
		}
	}
}

// holds says whether the very same declaration is remembered already.
func (m memory) holds(it *item) bool {
	for i, key := range it.keys {
		old, ok := m[memoryKey{it.kind, key}]
		if !ok || old.index != i || old.text != it.text || !slices.Equal(old.keys, it.keys) {
			return false
		}
	}
	return true
}

// remove forgets a key, of the first kind that has it.
func (m memory) remove(key string) bool {
	for _, k := range []kind{kindImport, kindConst, kindType, kindVar, kindFunc} {
		if _, ok := m[memoryKey{k, key}]; ok {
			delete(m, memoryKey{k, key})
			return true
		}
	}
	return false
}

func (m memory) types() map[string]bool {
	names := map[string]bool{}
	for k := range m {
		if k.kind == kindType {
			names[k.key] = true
		}
	}
	return names
}

// lost says whether something that before wrote out is gone or different in m.
func (m memory) lost(before memory) bool {
	after := map[string]bool{}
	for _, it := range m.items() {
		after[string(it.kind)+it.text] = true
	}
	return slices.ContainsFunc(before.items(), func(it *item) bool { return !after[string(it.kind)+it.text] })
}

// clashes reports names that two remembered items declare: the kernel keeps both, and its compiler
// refuses them.
func (m memory) clashes(number int, p *problems) {
	by := map[string]*item{}
	for _, it := range m.items() {
		for _, name := range it.names {
			old := by[name]
			by[name] = it
			if name == "_" || old == nil || old == it {
				continue
			}
			first, second := old, it
			if second.pos.Cell < first.pos.Cell {
				first, second = second, first
			}
			if second.pos.Cell != number {
				continue // reported when it came in
			}
			p.add(number, second.decl, "%s is declared again: %s in %v, %s here; the kernel keeps both: put %%rm %s above it",
				name, first.kind, Position{first.pos.Cell, first.decl}, second.kind, first.keys[0])
		}
	}
}

func (m memory) clone() memory { return maps.Clone(m) }
