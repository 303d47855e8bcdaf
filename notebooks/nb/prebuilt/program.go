package prebuilt

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

// Missed is a file beside those about cells: a cell was built that has none.
const Missed = "missed"

// Program is where the program of a cell is: one of several cells. It is empty for a cell that is built by itself.
type Program struct {
	File   string
	Mark   string // stands in the file, with as many zeros behind it as Number has digits
	At     int64  // where the mark begins
	Number string // of the cell
}

// Copy writes the program to a new file, and the cell's number into it.
func (p Program) Copy(to string) error {
	return Copy(to, p.File, func(program *os.File) error { return p.tell(program, strings.Repeat("0", len(p.Number))) })
}

// Retell writes the cell's number into a copy that was another cell's, and reports whether it did: not into another program, and not into one that
// runs, which the system keeps from being written to.
func (p Program) Retell(copied string) bool {
	f, err := os.OpenFile(copied, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	of, err2 := os.Stat(p.File)
	if errors.Join(err, err2) != nil || !info.Mode().IsRegular() || info.Size() != of.Size() {
		return false
	}
	told := make([]byte, len(p.Number))
	if _, err := f.ReadAt(told, p.At+int64(len(p.Mark))); err != nil || len(bytes.Trim(told, "0123456789")) > 0 {
		return false
	}
	return p.tell(f, string(told)) == nil
}

// tell writes the cell's number behind the mark, where another number stands.
func (p Program) tell(program *os.File, stands string) error {
	want := []byte(p.Mark + stands)
	got := make([]byte, len(want))
	if _, err := program.ReadAt(got, p.At); err != nil {
		return err
	}
	if p.Mark == "" || !bytes.Equal(got, want) {
		return errors.New("the mark is not where it was")
	}
	_, err := program.WriteAt([]byte(p.Number), p.At+int64(len(p.Mark)))
	return err
}

// Copy copies a program to a new file, within the system where that can be, and lets edit change the copy; nil: it stays as it is.
func Copy(to, from string, edit func(program *os.File) error) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil || edit == nil {
		return err
	}
	return edit(out)
}
