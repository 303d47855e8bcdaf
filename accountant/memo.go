package accountant

import "sync"

// memo keeps results of a function of public numbers that takes long: a plan is priced several times. A key that is not a number
// is computed anew.
type memo[K comparable, V any] struct {
	mu        sync.Mutex
	kept, old map[K]V
}

// memoSize bounds what is kept anew; beyond it only what was asked for since the time before stays.
const memoSize = 512

func (m *memo[K, V]) of(key K, compute func() V) V {
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

func (m *memo[K, V]) keep(key K, v V) {
	if m.kept == nil || len(m.kept) >= memoSize {
		m.kept, m.old = map[K]V{}, m.kept
	}
	m.kept[key] = v
}

// calibrated is an event with its noise, or why it has none.
type calibrated[E any] struct {
	event E
	err   error
}

type calibration[E comparable] struct {
	mu    float64
	event E
}
