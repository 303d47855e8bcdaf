package viz

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPaced(t *testing.T) {
	clock := time.Unix(1000, 0)
	var shown []string
	report := paced(func() time.Time { return clock }, func(done, total int) { shown = append(shown, fmt.Sprint(done, "/", total)) })
	for i := range 11 {
		report(i, 10)
		clock = clock.Add(40 * time.Millisecond)
	}
	report(10, 10) // the end is shown once
	report(0, 5)   // a second run of the same bar
	report(5, 5)
	if want := []string{"0/10", "3/10", "6/10", "9/10", "10/10", "0/5", "5/5"}; !slices.Equal(shown, want) {
		t.Errorf("got %v, want %v", shown, want)
	}
}

func TestPacedWithoutBeginning(t *testing.T) {
	shown := 0
	report := paced(time.Now, func(int, int) { shown++ })
	report(0, 0)
	report(3, 3)
	if shown != 0 {
		t.Errorf("nothing was visible, yet %d displays", shown)
	}
}

func TestProgressLine(t *testing.T) {
	var b strings.Builder
	show := progressLine(&b, "epochs")
	show(1, 4)
	show(4, 4)
	want := "\r\x1b[K[##########------------------------------] epochs: 1 of 4\r\x1b[K"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestIsTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) {
		t.Error("a file is no terminal")
	}
}
