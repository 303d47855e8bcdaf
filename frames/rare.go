package frames

// rare are the parts of a declaration that few columns have: those of dates and of people. Columns share them, and nothing changes them: there
// may be millions of columns.
type rare struct {
	since, layout string  // of dates: the day that 0 stands for, written as 2024-01-31, and how files write days; "": no dates, and ISO 8601
	people        *roster // of a person: who may have rows; nil: not listed

	// Of a person: the period whose rows are protected together, of which column of dates, and what the schema made of it. See [Column.Per].
	per     CalendarUnit
	perDay  string
	periods *periods

	texts *textsOf // what a column of texts holds; nil of others

	single bool // numbers of single precision
}

// parts are the rare parts of the column.
func (c *Column) parts() rare {
	if c.more == nil {
		return rare{}
	}
	return *c.more
}

// dated reports whether there is something of dates.
func (r rare) dated() bool { return r.since != "" || r.layout != "" }

// with returns the column with its rare parts changed.
func (c Column) with(change func(*rare)) Column {
	r := c.parts()
	change(&r)
	if c.more = &r; r == (rare{}) {
		c.more = nil
	}
	return c
}
