package rows

import (
	"bufio"
	"bytes"
	"container/heap"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Runs are sorted lists of records, a key with numbers that add up, which do not fit memory and wait in a file to be merged. Nobody but this
// process reads it: it has mode 0600, loses its name before anything is written, so that it is gone with the process however that ends, and
// what stands in it is enciphered under a key that is nowhere else. Its size, which those see who can watch the disk of the host, tells
// how many keys there were, as the memory of the process does.
type Runs struct {
	keyBytes, numbers int

	mu     sync.Mutex
	file   *os.File
	cipher cipher.Block
	runs   []run
	end    int64
	err    error // of the first list that could not be written: nothing is written behind it
}

// run is a list in the file.
type run struct{ from, records int64 }

// ErrNoRuns is returned where an open file cannot lose its name, as on Windows: what does not fit stays in memory.
var ErrNoRuns = errors.New("no private file")

// NewRuns is for records of keys of so many bytes and so many numbers.
func NewRuns(keyBytes, numbers int) (*Runs, error) {
	dir, err := os.MkdirTemp("", "dpnb-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRuns, err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "runs")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRuns, err)
	}
	if err := os.Remove(path); err != nil {
		return nil, errors.Join(ErrNoRuns, err, f.Close())
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	block, err := aes.NewCipher(secret[:])
	return &Runs{keyBytes: keyBytes, numbers: numbers, file: f, cipher: block}, err
}

// Close gives the file back. One that is not closed goes when nothing holds it any more.
func (r *Runs) Close() error { return r.file.Close() }

// stream enciphers what stands in the file from a multiple of 16 bytes on: counters are places in the file, so that none comes twice.
func (r *Runs) stream(from int64) cipher.Stream {
	var iv [aes.BlockSize]byte
	binary.BigEndian.PutUint64(iv[8:], uint64(from/aes.BlockSize))
	return cipher.NewCTR(r.cipher, iv[:])
}

// Add writes n records in rising order of their keys. Several may be asked for at once. A list that gives an error is not among those that
// are merged, and no other is written in its place, where the same stream would encipher two texts.
func (r *Runs) Add(n int, record func(i int) (key string, numbers []int64)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	w := bufio.NewWriterSize(cipher.StreamWriter{S: r.stream(r.end), W: io.NewOffsetWriter(r.file, r.end)}, 1<<16)
	var cell [8]byte
	for i := range n {
		key, numbers := record(i)
		if len(key) != r.keyBytes || len(numbers) != r.numbers {
			r.err = fmt.Errorf("rows: runs: got a key of %d bytes with %d numbers, want %d and %d", len(key), len(numbers), r.keyBytes, r.numbers)
			return r.err
		}
		_, _ = w.WriteString(key) // errors stay until Flush
		for _, v := range numbers {
			binary.LittleEndian.PutUint64(cell[:], uint64(v))
			_, _ = w.Write(cell[:])
		}
	}
	if r.err = w.Flush(); r.err != nil {
		return r.err
	}
	r.runs = append(r.runs, run{r.end, int64(n)})
	size := int64(n) * int64(r.keyBytes+8*r.numbers)
	r.end += (size + aes.BlockSize - 1) / aes.BlockSize * aes.BlockSize
	return nil
}

// Merge calls fn for every key once, in rising order, with the sums of its numbers. fn must not keep the slices.
func (r *Runs) Merge(ctx context.Context, fn func(key []byte, numbers []int64) error) error {
	var open readers
	for _, of := range r.runs {
		in := io.NewSectionReader(r.file, of.from, of.records*int64(r.keyBytes+8*r.numbers))
		next := &runReader{
			in:   bufio.NewReaderSize(cipher.StreamReader{S: r.stream(of.from), R: in}, 1<<12),
			left: of.records, record: make([]byte, r.keyBytes+8*r.numbers), keyBytes: r.keyBytes,
		}
		if more, err := next.read(); err != nil {
			return err
		} else if more {
			open = append(open, next)
		}
	}
	heap.Init(&open)
	key, sums := make([]byte, 0, r.keyBytes), make([]int64, r.numbers)
	for n := 0; len(open) > 0; n++ {
		if n%ChunkSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key = append(key[:0], open[0].key()...)
		clear(sums)
		for len(open) > 0 && bytes.Equal(open[0].key(), key) {
			for k := range sums {
				sums[k] += int64(binary.LittleEndian.Uint64(open[0].record[r.keyBytes+8*k:]))
			}
			more, err := open[0].read()
			switch {
			case err != nil:
				return err
			case more:
				heap.Fix(&open, 0)
			default:
				heap.Pop(&open)
			}
		}
		if err := fn(key, sums); err != nil {
			return err
		}
	}
	return nil
}

// runReader reads the records of a run, one after the other.
type runReader struct {
	in       io.Reader
	left     int64
	record   []byte
	keyBytes int
}

func (r *runReader) key() []byte { return r.record[:r.keyBytes] }

func (r *runReader) read() (more bool, err error) {
	if r.left == 0 {
		return false, nil
	}
	r.left--
	_, err = io.ReadFull(r.in, r.record)
	return err == nil, err
}

// readers are a heap by the keys at hand.
type readers []*runReader

func (h readers) Len() int           { return len(h) }
func (h readers) Less(i, j int) bool { return bytes.Compare(h[i].key(), h[j].key()) < 0 }
func (h readers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *readers) Push(x any)        { *h = append(*h, x.(*runReader)) }
func (h *readers) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
