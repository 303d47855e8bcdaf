package viz

// Table shows released or public values that have no view of their own. Columns that hold numbers
// only are aligned to the right. Rows may be shorter or longer than the header. It prints what it
// is given: private rows have no business here.
func Table(header []string, rows [][]string) View {
	width := len(header)
	for _, r := range rows {
		width = max(width, len(r))
	}
	g := grid{Columns: make([]column, width)}
	for j, h := range header {
		g.Columns[j].Head = clean(h)
	}
	for _, r := range rows {
		row := make([]string, width)
		copy(row, cleanAll(r))
		g.Rows = append(g.Rows, row)
	}
	for j := range g.Columns {
		numbers, filled := true, false
		for _, r := range g.Rows {
			filled = filled || r[j] != ""
			numbers = numbers && (r[j] == "" || isNumber(r[j]))
		}
		g.Columns[j].Right = numbers && filled
	}
	return View{blocks: []block{g}}
}
