package frames

import (
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestDayNumber: every day of 800 years, and the ends of the calendar, have the number that package time gives them.
func TestDayNumber(t *testing.T) {
	single.Goroutine(t)
	check := func(d time.Time) {
		want := int(d.Unix() / 86400)
		if d.Unix() < 0 {
			want = -int(-d.Unix() / 86400)
		}
		year, month, day := d.Date()
		got, ok := parseISO([]byte(d.Format(isoDay)))
		if !ok || got != want || dayNumber(year, int(month), day) != want || !dayTime(want).Equal(d) {
			t.Fatalf("%v: got %d, %v, want %d", d, got, ok, want)
		}
	}
	for d := time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 2400; d = d.AddDate(0, 0, 1) {
		check(d)
	}
	for _, year := range []int{1, 4, 100, 400, 9600, 9999} {
		for _, month := range []time.Month{1, 2, 3, 12} {
			check(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
			check(time.Date(year, month, 28, 0, 0, 0, 0, time.UTC))
		}
	}
}

// FuzzParseDay holds the reader of days to package time.
func FuzzParseDay(f *testing.F) {
	for _, s := range []string{
		"2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "0001-01-01", "0000-12-31", "9999-12-31", "2024-13-01", "2024-00-10", "2024-04-31",
		"2024-1-1", "2024-01-01 ", "2024-01-01T00:00:00", "２０２４-01-01", "-024-01-01", "2024-+1-01", "20240101", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseISO([]byte(text))
		want, err := time.Parse(isoDay, text)
		if accept := err == nil && want.Year() >= 1; ok != accept {
			t.Fatalf("%q: got accepted %v, want %v", text, ok, accept)
		}
		if ok && !dayTime(got).Equal(want) {
			t.Fatalf("%q: got %v, want %v", text, dayTime(got), want)
		}
	})
}

// FuzzParseDates: a file with dates in it keeps its schema or is refused without a word of its cells.
func FuzzParseDates(f *testing.F) {
	s, err := NewSchema(Date("a", "2023-12-31", "2024-03-01").MayMiss(), Date("b", "1990-01-01", "2024-03-01").Written("2/1/2006 15:04").Clamped(), Label("c", "n", "p"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("2024-02-29,29/2/2024 23:59,n\n,1/1/1980 00:00,p\n", false)
	f.Add("SECRET,SECRET,n\n2024-02-30,30/2/2024 00:00,n\n2024-03-02,1/1/1980 00:00,n\n", true)
	f.Add("\" 2024-02-29\",29/2/2024 24:00,n\n2024-02-29SECRET,1/1/19800 00:00,n\n", false)
	f.Fuzz(func(t *testing.T, text string, trim bool) {
		frame, err := ParseCSV(strings.NewReader(strings.ReplaceAll(text, "SECRET", secret)), "fuzz", s, CSVOptions{TrimSpace: trim})
		checkOutcome(t, frame, err)
	})
}
