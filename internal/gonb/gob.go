package gonb

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

// A cell talks to its kernel in encoding/gob, in values of GoNB's package gonbui/protocol. Linking that
// package, gonbui and what they import (net and a logger among it) takes a good part of the time that a cell
// takes to build, so the few values of a fixed shape that a display needs are written here, byte by byte, as the documentation of
// encoding/gob defines them. The tests read them with encoding/gob.
//
// A cell may use gonbui beside this package, on the same pipe: its encoder counts types from 65 on. The
// types here have numbers far above, and are defined once in messages of their own.

// Types that are built in.
const (
	gobBool      = 1
	gobInt       = 2
	gobBytes     = 5
	gobString    = 6
	gobInterface = 8
)

// Types that gobTypes defines.
const (
	gobDisplay = 1<<20 + iota
	gobAnyMap
	gobIntMap
	gobComm
)

// commName is what gonbui/protocol registers its CommValue under.
const commName = "github.com/janpfeifer/gonb/gonbui/protocol.CommValue"

// gobBuffer collects the bytes of values.
type gobBuffer []byte

// uint is a byte below 128, else the negated number of bytes that follow, most significant first.
func (b *gobBuffer) uint(x uint64) {
	if x < 128 {
		*b = append(*b, byte(x))
		return
	}
	n := (bits.Len64(x) + 7) / 8
	var word [8]byte
	binary.BigEndian.PutUint64(word[:], x)
	*b = append(append(*b, byte(-n)), word[8-n:]...)
}

// int keeps the sign in the lowest bit.
func (b *gobBuffer) int(x int64) { b.uint(uint64(x<<1) ^ uint64(x>>63)) }

func (b *gobBuffer) string(s string) {
	b.uint(uint64(len(s)))
	*b = append(*b, s...)
}

// sized is a value behind its length, as a message and an interface value hold it.
func (b *gobBuffer) sized(value gobBuffer) {
	b.uint(uint64(len(value)))
	*b = append(*b, value...)
}

// any is an interface value: the registered name and number of its type, and the value.
func (b *gobBuffer) any(name string, id int64, value gobBuffer) {
	b.string(name)
	b.int(id)
	b.sized(value)
}

// A value that is no struct stands behind a zero where an interface holds it.

func (b *gobBuffer) anyString(s string) {
	v := gobBuffer{0}
	v.string(s)
	b.any("string", gobString, v)
}

func (b *gobBuffer) anyBytes(data []byte) {
	v := gobBuffer{0}
	v.sized(data)
	b.any("[]uint8", gobBytes, v)
}

func (b *gobBuffer) anyIntMap(m map[string]int) {
	v := gobBuffer{0}
	v.uint(uint64(len(m)))
	for _, k := range sortedKeys(m) {
		v.string(k)
		v.int(int64(m[k]))
	}
	b.any("map[string]int", gobIntMap, v)
}

// anyMap is a map of interface values; value appends the one of a key.
func (b *gobBuffer) anyMap(keys []string, value func(key string)) {
	b.uint(uint64(len(keys)))
	for _, k := range keys {
		b.string(k)
		value(k)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// gobMessages is a sequence of messages.
type gobMessages gobBuffer

// message appends a message: a number of a type, negative where the type is defined, and a value.
func (m *gobMessages) message(id int64, value gobBuffer) {
	var head gobBuffer
	head.int(id)
	(*gobBuffer)(m).sized(append(head, value...))
}

// Values of gob's own type wireType, of which one field is set: 3 a struct, 4 a map. Each begins with a
// CommonType, the name and the number, and a field stands behind the step from the field before.

func (m *gobMessages) defineStruct(id int64, name string, fields ...gobField) {
	v := gobBuffer{3}
	v.common(id, name)
	v.uint(1)
	v.uint(uint64(len(fields)))
	for _, f := range fields {
		v.uint(1)
		v.string(f.name)
		v.uint(1)
		v.int(f.id)
		v.uint(0)
	}
	m.message(-id, append(v, 0, 0))
}

func (m *gobMessages) defineMap(id int64, name string, elem int64) {
	v := gobBuffer{4}
	v.common(id, name)
	v.uint(1)
	v.int(gobString)
	v.uint(1)
	v.int(elem)
	m.message(-id, append(v, 0, 0))
}

func (b *gobBuffer) common(id int64, name string) {
	b.uint(1)
	b.uint(1)
	b.string(name)
	b.uint(1)
	b.int(id)
	b.uint(0)
}

type gobField struct {
	name string
	id   int64
}

// gobTypes defines the types that messages use.
func gobTypes() []byte {
	var m gobMessages
	m.defineMap(gobAnyMap, "AnyMap", gobInterface)
	m.defineMap(gobIntMap, "IntMap", gobInt)
	m.defineStruct(gobComm, "CommValue", gobField{"Address", gobString}, gobField{"Request", gobBool}, gobField{"Value", gobInterface})
	m.defineStruct(gobDisplay, "DisplayData", gobField{"Data", gobAnyMap}, gobField{"Metadata", gobAnyMap}, gobField{"DisplayID", gobString})
	return m
}

// gobDisplayData is the message of a display. Fields that are empty are left out.
func gobDisplayData(d Display) []byte {
	v := gobBuffer{1}
	v.anyMap(sortedKeys(d.Data), func(k string) {
		if d.Raw[k] {
			v.anyBytes([]byte(d.Data[k]))
		} else {
			v.anyString(d.Data[k])
		}
	})
	step := uint64(1)
	if len(d.Metadata)+len(d.Widths) > 0 {
		v.uint(step)
		v.anyMap(slices.Concat(sortedKeys(d.Metadata), sortedKeys(d.Widths)), func(k string) {
			if w, ok := d.Widths[k]; ok {
				v.anyIntMap(map[string]int{"width": w})
			} else {
				v.anyString(d.Metadata[k])
			}
		})
		step = 0
	}
	if d.ID != "" {
		v.uint(step + 1)
		v.string(d.ID)
	}
	var m gobMessages
	m.message(gobDisplay, append(v, 0))
	return m
}

// The addresses by which a program asks for an acknowledgement of all that it sent, and gets it.
const (
	syncAddress    = "#gonbui/sync"
	syncAckAddress = "#gonbui/sync_ack"
	commMIME       = "gonb/comm_value" // of the display data that carries a request
)

// gobSync asks for an acknowledgement.
func gobSync(id int64) []byte {
	n := gobBuffer{0}
	n.int(id)
	comm := gobBuffer{1}
	comm.string(syncAddress)
	comm.uint(2) // over Request
	comm.any("int", gobInt, n)
	v := gobBuffer{1}
	v.anyMap([]string{commMIME}, func(string) { v.any(commName, gobComm, append(comm, 0)) })
	var m gobMessages
	m.message(gobDisplay, append(v, 0))
	return m
}

// isAck reports whether a message without its length acknowledges that request. Its type is one that
// the kernel numbers.
func isAck(message []byte, id int64) bool {
	n := gobBuffer{0}
	n.int(id)
	want := gobBuffer{1}
	want.string(syncAckAddress)
	want.uint(2)
	want.any("int", gobInt, n)
	want = append(want, 0)
	return len(message) > len(want) && string(message[len(message)-len(want):]) == string(want)
}
