package prebuilt

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

// Program is where the program of a cell is: one of several cells.
type Program struct {
	File   string
	Mark   string // stands in the file, with as many zeros behind it as Number has digits
	At     int64  // where the mark begins
	Number string // of the cell
}

// Copy writes the program to a new file, and the cell's number into it.
func (p Program) Copy(to string) error {
	return Copy(to, p.File, func(program *os.File) error {
		want := []byte(p.Mark + strings.Repeat("0", len(p.Number)))
		got := make([]byte, len(want))
		if _, err := program.ReadAt(got, p.At); err != nil {
			return err
		}
		if p.Mark == "" || !bytes.Equal(got, want) {
			return errors.New("the mark is not where it was")
		}
		_, err := program.WriteAt([]byte(p.Number), p.At+int64(len(p.Mark)))
		return err
	})
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
