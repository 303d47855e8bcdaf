package frames

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// columnJSON is a column as it is stored: bounds where it has them, words in place of numbers.
type columnJSON struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Lo      *float64 `json:"lo,omitempty"`
	Hi      *float64 `json:"hi,omitempty"`
	Levels  []string `json:"levels,omitempty"`
	Missing bool     `json:"missing,omitempty"`
	Clamp   bool     `json:"clamp,omitempty"`
	Other   string   `json:"other,omitempty"`
	Ordered bool     `json:"ordered,omitempty"`
	Since   string   `json:"since,omitempty"`
	Layout  string   `json:"layout,omitempty"`
	Roster  []string `json:"roster,omitempty"`
	Per     string   `json:"per,omitempty"`     // of a person: the period
	PerDay  string   `json:"per_day,omitempty"` // and its column of dates
	Single  bool     `json:"single,omitempty"`
	Block   string   `json:"block,omitempty"`

	NoBounds bool    `json:"no_bounds,omitempty"`
	Scale    float64 `json:"scale,omitempty"`
}

// MarshalJSON writes the public facts of every column, in order: all that a program needs to load rows of the same
// table.
func (s Schema) MarshalJSON() ([]byte, error) {
	out := make([]columnJSON, s.Len())
	for i, c := range s.Columns() {
		out[i] = columnJSON{Name: c.Name, Kind: c.Kind.String(), Levels: c.Levels, Missing: c.Missing, Clamp: c.Clamp, Other: c.Rest, Ordered: c.Ordered, Since: c.parts().since, Layout: c.parts().layout, Block: c.Block, NoBounds: c.NoBounds, Scale: c.Scale, Single: c.IsSingle()}
		if r := c.parts(); r.people != nil {
			out[i].Roster = r.people.names
		}
		out[i].Per, out[i].PerDay = string(c.parts().per), c.parts().perDay
		if c.Kind != KindIgnored && c.Kind != KindPerson && !c.classes() && !c.NoBounds {
			out[i].Lo, out[i].Hi = &c.Lo, &c.Hi
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes and checks it as [NewSchema] does. Errors wrap [ErrSchema].
func (s *Schema) UnmarshalJSON(data []byte) error {
	var in []columnJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return fmt.Errorf("frames: schema: want a JSON array of columns: %w: %w", err, ErrSchema)
	}
	if len(in) == 0 { // of a Schema that has no columns
		*s = Schema{}
		return nil
	}
	cols := make([]Column, len(in))
	for i, c := range in {
		kind := Kind(0)
		for k := KindNumeric; k <= KindText; k++ {
			if c.Kind == k.String() {
				kind = k
			}
		}
		if kind == 0 {
			return fmt.Errorf("frames: schema: column %q: got kind %q, want numeric, category, label, ignored, person or text: %w", c.Name, c.Kind, ErrSchema)
		}
		cols[i] = Column{Name: c.Name, Kind: kind, Levels: c.Levels, Missing: c.Missing, Clamp: c.Clamp, Rest: c.Other, Ordered: c.Ordered, Block: c.Block, NoBounds: c.NoBounds, Scale: c.Scale}
		cols[i] = cols[i].with(func(r *rare) {
			r.since, r.layout, r.per, r.perDay, r.single = c.Since, c.Layout, CalendarUnit(c.Per), c.PerDay, c.Single
		})
		if kind == KindText {
			cols[i] = cols[i].with(func(r *rare) { r.texts = newTexts() })
		}
		if c.Roster != nil {
			cols[i] = cols[i].Roster(c.Roster...)
		}
		if c.NoBounds && c.Lo == nil && c.Hi == nil {
			cols[i].Lo, cols[i].Hi = math.Inf(-1), math.Inf(1)
		}
		if c.Lo != nil {
			cols[i].Lo = *c.Lo
		}
		if c.Hi != nil {
			cols[i].Hi = *c.Hi
		}
	}
	read, err := NewSchema(cols...)
	if err != nil {
		return err
	}
	*s = read
	return nil
}
