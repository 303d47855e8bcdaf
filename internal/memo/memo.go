package memo

import "sync"

// Memo keeps results of a function of public numbers that takes long: a plan is priced several times. A key that is not a number
// is computed anew. The zero value is empty; it is safe for concurrent use.
type Memo[K comparable, V any] struct {
	mu        sync.Mutex
	kept, old map[K]V
}

// Size bounds what is kept anew; beyond it only what was asked for since the time before stays.
const Size = 512

// Of is the value that is kept for the key, or what compute returns, which is kept.
func (m *Memo[K, V]) Of(key K, compute func() V) V {
	m.mu.Lock()
	v, ok := m.kept[key]
	if !ok {
		if v, ok = m.old[key]; ok {
			m.keep(key, v)
		}
	}
	m.mu.Unlock()
	if ok {
		return v
	}
	v = compute()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(key, v)
	return v
}

func (m *Memo[K, V]) keep(key K, v V) {
	if m.kept == nil || len(m.kept) >= Size {
		m.kept, m.old = map[K]V{}, m.kept
	}
	m.kept[key] = v
}
