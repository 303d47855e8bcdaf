package frames

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// Per returns the column of the person with a narrower unit of privacy: what somebody did in one [Day], [Week], [Month] or [Year] of a column
// of dates, whose cells may not miss. What is released then protects each of these by itself, and that is less: somebody with rows in k
// weeks is protected in one of them at a time, and a row that moves to another week changes two. Where a person's rows are made one row
// there is one for each of their periods; those without rows are empty. How many there are is public: people times periods.
func (c Column) Per(unit CalendarUnit, day string) Column {
	return c.with(func(r *rare) { r.per, r.perDay, r.periods = unit, day, nil })
}

// Period is the period of a person's column, and the column of dates that it is of; "" without one.
func (c Column) Period() (unit CalendarUnit, day string) { r := c.parts(); return r.per, r.perDay }

// Periods is how many periods everybody has; 1 where the unit of privacy is the person.
func (c Column) Periods() int {
	if r := c.parts(); r.periods != nil {
		return r.periods.n
	}
	return 1
}

// Split parts an ID of a row of this column into who it is and the period, from 0.
func (c Column) Split(id PersonID) (who PersonID, period int) {
	if c.Periods() == 1 {
		return id, 0
	}
	return id.who(), int(binary.BigEndian.Uint32(id[len(personKey{}):]))
}

// InPeriod is the ID of a row of this column, of somebody in a period from 0: Split parts it.
func (c Column) InPeriod(who PersonID, period int) PersonID {
	if c.Periods() > 1 {
		binary.BigEndian.PutUint32(who[len(personKey{}):], uint32(period))
	}
	return who
}

// who is the ID of somebody in whatever period.
func (id PersonID) who() PersonID {
	clear(id[len(personKey{}):])
	return id
}

// periods are those of a column of dates: n of them, and the one that a day is in.
type periods struct {
	n  int
	of func(x float64) float64
}

// validatePer holds a declaration to what can be said without the other columns.
func (r rare) validatePer() error {
	switch r.per {
	case "", Day, Week, Month, Year:
		return nil
	}
	return fmt.Errorf("got a person per %.20q, want per %s, %s, %s or %s", string(r.per), Day, Week, Month, Year)
}

// setPeriods looks up the periods of the person, where there are any: those of the table as it is read. Behind steps the column of dates may be
// gone, or be another, and the periods stay.
func (s *schema) setPeriods() error {
	if s.person < 0 {
		return nil
	}
	person := &s.cols[s.person]
	r := person.parts()
	if r.per == "" || r.periods != nil {
		return nil
	}
	i, ok := s.byName[r.perDay]
	if !ok {
		return fmt.Errorf("column %q: a person per %s of column %q, which is not there: declare it with Date", person.Name, r.per, r.perDay)
	}
	day := s.cols[i]
	if day.Missing {
		return fmt.Errorf("column %q: a person per %s of column %q, which may miss: a row without a day is of no %[2]s; drop MayMiss", person.Name, r.per, r.perDay)
	}
	out, of, err := day.Calendar(r.per)
	if err != nil {
		return err
	}
	*person = person.with(func(r *rare) { r.periods = &periods{len(out.Levels), of} })
	return nil
}

// stamper returns what writes the period of a row into its [PersonID]; nil where there is none.
func (s Schema) stamper() func(r *rowValues) {
	c, ok := s.Person()
	of := c.parts().periods
	if !ok || of == nil {
		return nil
	}
	j, ok := s.FeatureIndex(c.parts().perDay)
	if !ok || !s.Features()[j].IsDate() { // behind a step: the IDs have their periods
		return nil
	}
	return func(r *rowValues) {
		if x := r.x[j]; !math.IsNaN(x) {
			binary.BigEndian.PutUint32(r.person[len(personKey{}):], uint32(of.of(x)))
		}
	}
}

// mostProtected bounds the units of privacy of a table.
const mostProtected = 1 << 26

// Protected counts the units of privacy of a source whose schema has a [Person]: its people, as [People] does, times their periods.
func Protected(ctx context.Context, src Source) (int, error) {
	n, err := People(ctx, src)
	if err != nil {
		return 0, err
	}
	c, _ := src.Schema().Person()
	if n > mostProtected/c.Periods() {
		return 0, fmt.Errorf("frames: people: got %s in each of %d periods, want at most %d of both: take a longer period: %w", countPeople(n), c.Periods(), mostProtected, ErrLimit)
	}
	return n * c.Periods(), nil
}
