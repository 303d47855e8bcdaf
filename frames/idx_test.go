package frames_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/single"
)

// idx is an IDX file of unsigned bytes.
func idx(values string, dims ...uint32) string {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return string(b) + values
}

func TestReadIDX(t *testing.T) {
	images := idx("\x00\x01\x02\xff"+"\x09\x08\x07\x06"+"abcd", 3, 2, 2)
	labels := idx("\x08\x03\x03", 3)
	for name, pair := range map[string][2]string{
		"plain": {images, labels},
		"gzip":  {packed(t, images), packed(t, labels)},
		"mixed": {packed(t, images), labels},
	} {
		t.Run(name, func(t *testing.T) {
			i, l := writeFile(t, "images", pair[0]), writeFile(t, "labels", pair[1])
			f, err := frames.ReadIDX(i, l, frames.IDXOptions{Labels: []uint8{3, 8}})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := cells(f), "0|1|2|255|8\n9|8|7|6|3\n97|98|99|100|3\n"; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			src, err := frames.OpenIDX(i, l, frames.IDXOptions{Labels: []uint8{3, 8}})
			if err != nil {
				t.Fatal(err)
			}
			x, y := rows(t, f)
			checkFile(t, src, f, x, y, i)
			checkFile(t, src, f, x, y, l)
			if err := os.WriteFile(i, []byte(idx("123456", 3, 2)), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := src.Scan(t.Context(), func(*frames.Block) error { return nil }); !errors.Is(err, frames.ErrChanged) {
				t.Errorf("other dimensions: got %v, want ErrChanged", err)
			}
		})
	}
	f, err := frames.ReadIDX(writeFile(t, "images", images), "", frames.IDXOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := f.Schema().Label(); ok || f.Rows() != 3 {
		t.Errorf("without labels: got\n%v", f)
	}
	f, err = frames.ReadIDX(writeFile(t, "images", images), writeFile(t, "labels", labels), frames.IDXOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if l, _ := f.Schema().Label(); len(l.Levels) != 10 {
		t.Errorf("zero options: got label %v, want ten levels", l)
	}
}

func TestReadIDXRefuses(t *testing.T) {
	images, labels := idx("abcdABCD", 2, 2, 2), idx("\x01\x02", 2)
	for name, tc := range map[string]struct {
		images, labels string
		o              frames.IDXOptions
		is             error
		want           string
	}{
		"label":             {images, idx("\x01\x63", 2), frames.IDXOptions{}, frames.ErrLevel, `row 2, column "label"`},
		"one label":         {images, labels, frames.IDXOptions{Labels: []uint8{1}}, frames.ErrSchema, "at least 2"},
		"no labels":         {images, labels, frames.IDXOptions{Labels: []uint8{}}, frames.ErrOptions, "Labels"},
		"label twice":       {images, labels, frames.IDXOptions{Labels: []uint8{1, 2, 1}}, frames.ErrSchema, "twice"},
		"fewer labels":      {images, idx("\x01", 1), frames.IDXOptions{}, frames.ErrRagged, "1 labels of 1 values for 2 items"},
		"images as labels":  {images, images, frames.IDXOptions{}, frames.ErrRagged, "belong together"},
		"short":             {idx("abcdABC", 2, 2, 2), labels, frames.IDXOptions{}, frames.ErrRagged, "row 2 of 2"},
		"short labels":      {images, idx("\x01", 2), frames.IDXOptions{}, frames.ErrRagged, "label of row 2 of 2"},
		"long":              {images + "x", labels, frames.IDXOptions{}, frames.ErrRagged, "goes on"},
		"long labels":       {images, labels + "x", frames.IDXOptions{}, frames.ErrRagged, "goes on"},
		"empty":             {"", labels, frames.IDXOptions{}, frames.ErrRagged, "too early"},
		"half a header":     {images[:7], labels, frames.IDXOptions{}, frames.ErrRagged, "too early"},
		"half a label file": {images, labels[:7], frames.IDXOptions{}, frames.ErrRagged, "labels"},
		"no items":          {idx("", 0, 2, 2), idx("", 0), frames.IDXOptions{}, frames.ErrEmpty, "no rows"},
		"type":              {"\x00\x00\x0d\x01abcd", labels, frames.IDXOptions{}, frames.ErrHeader, "unsigned bytes"},
		"text":              {"a,b,c,d\n", labels, frames.IDXOptions{}, frames.ErrHeader, "unsigned bytes"},
		"no dimensions":     {"\x00\x00\x08\x00", labels, frames.IDXOptions{}, frames.ErrHeader, "dimensions"},
		"dimension 0":       {idx("", 2, 0, 2), labels, frames.IDXOptions{}, frames.ErrHeader, "dimension 0 of 2"},
		"huge items":        {idx("", 2, 1<<31, 1<<31), labels, frames.IDXOptions{}, frames.ErrHeader, "65536"},
		"huge product":      {idx("", 2, 257, 256), labels, frames.IDXOptions{}, frames.ErrHeader, "65536"},
		"huge count":        {idx("", 1<<32-1, 2), labels, frames.IDXOptions{}, frames.ErrHeader, "items"},
		"count not there":   {idx("", 1<<31-1, 256, 256), idx("", 1<<31-1), frames.IDXOptions{}, frames.ErrRagged, "row 1 of 2147483647"},
	} {
		t.Run(name, func(t *testing.T) {
			single.Goroutine(t)
			images := writeFile(t, "images", tc.images)
			f, err := frames.ReadIDX(images, writeFile(t, "labels", tc.labels), tc.o)
			if !errors.Is(err, tc.is) || f != nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %v and %q", err, tc.is, tc.want)
			}
			if strings.Contains(strings.ReplaceAll(err.Error(), images, ""), "99") {
				t.Errorf("%v repeats a label", err)
			}
		})
	}
	path := writeFile(t, "labels", labels)
	for _, pair := range [][2]string{{path + "x", path}, {writeFile(t, "images", images), path + "x"}} {
		if _, err := frames.ReadIDX(pair[0], pair[1], frames.IDXOptions{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want fs.ErrNotExist", err)
		}
	}
}
