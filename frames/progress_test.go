package frames

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestWatch: every kind of pass tells its end, with all rows and bytes, and nothing of how many rows people have.
func TestWatch(t *testing.T) {
	var mu sync.Mutex
	var ends []Progress
	stop := Watch(func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Done {
			ends = append(ends, p)
		}
	})
	defer stop()
	dir := t.TempDir()
	path := filepath.Join(dir, "t.csv")
	people := cacheSchema(t)
	writeRows(t, path, 3000, 1)
	last := func(what string) Progress {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		for i := len(ends) - 1; i >= 0; i-- {
			if ends[i].What == what {
				return ends[i]
			}
		}
		t.Fatalf("no end of a %s", what)
		return Progress{}
	}
	var cols []Column
	for _, c := range people.Columns() {
		if c.Kind == KindPerson {
			c = Ignored("p")
		}
		cols = append(cols, c)
	}
	rows, err := NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Schema{people, rows} {
		want := 3000
		if _, ok := s.Person(); ok {
			want = 0
		}
		f, err := OpenCSV(path, s, CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p := last("load"); p.Rows != want || p.Bytes != p.OfBytes || p.Bytes == 0 || p.Name != path || p.Share() != 1 {
			t.Errorf("load: %+v", p)
		}
		if err := f.Scan(t.Context(), func(*Block) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if p := last("scan"); p.Rows != want || p.OfRows != want || p.Share() != 1 {
			t.Errorf("scan: %+v", p)
		}
		m, err := ReadCSV(path, s, CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ContentOf(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if p := last("fingerprint"); p.Rows != want {
			t.Errorf("fingerprint: %+v", p)
		}
		if _, err := Check(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		if p := last("check"); p.Rows != want {
			t.Errorf("check: %+v", p)
		}
	}
	stop()
	n := len(ends)
	if _, err := ReadCSV(path, rows, CSVOptions{}); err != nil || len(ends) != n {
		t.Errorf("told when nobody watched: %v", err)
	}
}

func TestProgressText(t *testing.T) {
	p := Progress{What: "load", Name: "a.csv", Rows: 2_000_000, Bytes: 50, OfBytes: 200, Elapsed: 2 * time.Second}
	if got := p.String(); got != "load a.csv: 2000000 rows, 1 M rows/s, 6s left" {
		t.Error(got)
	}
	if p = (Progress{What: "load", Bytes: 3e6}); !strings.Contains(p.String(), "3.0 MB") || p.Left() != 0 || p.PerSecond() != 0 {
		t.Error(p)
	}
}

// TestRowsASecond: rates are read without an exponent.
func TestRowsASecond(t *testing.T) {
	for rows, want := range map[int]string{1: "1 rows/s", 999: "999 rows/s", 1000: "1 k rows/s", 999_600: "1 M rows/s", 1_234_567: "1.23 M rows/s", 45_600: "45.6 k rows/s"} {
		if got := (Progress{What: "scan", Rows: rows, Elapsed: time.Second}).String(); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
}
