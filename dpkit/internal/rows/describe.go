package rows

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// sum128 is a short hash of what a pass is of: it tells passes apart, and guards against accidents alone.
type sum128 struct{ hi, lo uint64 }

// describe hashes values by their contents: numbers by their bits, lists with their lengths, structs field by field, what stands
// behind pointers and interfaces, maps in any order. Fields with the tag dp:"-" are no part of a description. Of a function only
// the type is known: what it does must be said by the values beside it. But a func() any among values is called for what it returns.
func describe(values ...any) sum128 {
	d := describer{sha256.New()}
	d.word(uint64(len(values)))
	for _, v := range values {
		if late, ok := v.(func() any); ok {
			v = late()
		}
		if s, ok := v.(frames.Schema); ok {
			v = s.Hash() // canonical
		}
		d.boxed(reflect.ValueOf(v), 0)
	}
	s := d.to.Sum(nil)
	return sum128{binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8:])}
}

type describer struct{ to hash.Hash }

func (d describer) word(v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	d.to.Write(b[:])
}

func (d describer) text(s string) {
	d.word(uint64(len(s)))
	d.to.Write([]byte(s))
}

// boxed is a value whose type is not known from what holds it.
func (d describer) boxed(v reflect.Value, depth int) {
	if !v.IsValid() { // nil
		d.text("")
		return
	}
	d.text(v.Type().String())
	d.value(v, depth)
}

// deepest bounds the nesting of values, so that a ring of pointers does not hang.
const deepest = 32

func (d describer) value(v reflect.Value, depth int) {
	if depth > deepest {
		panic(fmt.Sprintf("dpkit: a pass is described by a %s nested deeper than %d: a ring?", v.Type(), deepest))
	}
	depth++
	switch v.Kind() {
	case reflect.Bool:
		d.word(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.word(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		d.word(v.Uint())
	case reflect.Float32, reflect.Float64:
		d.word(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		d.word(math.Float64bits(real(v.Complex())))
		d.word(math.Float64bits(imag(v.Complex())))
	case reflect.String:
		d.text(v.String())
	case reflect.Slice, reflect.Array:
		d.word(uint64(v.Len()))
		for i := range v.Len() {
			d.value(v.Index(i), depth)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("dp") != "-" {
				d.value(v.Field(i), depth)
			}
		}
	case reflect.Map:
		d.pairs(v, depth)
	case reflect.Interface:
		d.boxed(v.Elem(), depth)
	case reflect.Pointer:
		if v.IsNil() {
			d.word(0)
			return
		}
		d.word(1)
		d.value(v.Elem(), depth)
	default: // functions and channels have no contents
		d.text(v.Type().String())
	}
}

// pairs hashes each pair of a map, and then the hashes in their order.
func (d describer) pairs(v reflect.Value, depth int) {
	var all [][]byte
	for it := v.MapRange(); it.Next(); {
		one := describer{sha256.New()}
		one.value(it.Key(), depth)
		one.value(it.Value(), depth)
		all = append(all, one.to.Sum(nil))
	}
	slices.SortFunc(all, bytes.Compare)
	d.word(uint64(len(all)))
	for _, b := range all {
		d.to.Write(b)
	}
}
