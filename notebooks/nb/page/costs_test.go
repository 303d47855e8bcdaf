package page

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// costDisplay is an output as package viz writes it: the facts are JSON in a string.
func costDisplay(facts string) nb.Output {
	o := display("text/plain", "a release")
	o.Metadata = map[string]json.RawMessage{costKey: rawJSON(facts)}
	return o
}

func costNotebook(facts ...string) *nb.Notebook {
	n := notebookOf(markdownCell("# Title"))
	for _, f := range facts {
		n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: "%%", Outputs: []nb.Output{costDisplay(f)}})
	}
	return n
}

const (
	costLedgerFacts = `"ledger":{"dataset":"adult","budget_epsilon":2,"budget_delta":1e-05,"spent_epsilon":0.9763,"releases":1}`
	costFacts       = `"version":1,"kind":"release","name":"FitLogistic","event":"120 × discrete Gaussian","epsilon":1,"delta":1e-06,"neighbours":"replace-one","scope":"unconditional","charged":"2025-03-01T09:30:00.5Z",` + costLedgerFacts
)

func TestCosts(t *testing.T) {
	charged, replayed := "{"+costFacts+"}", `{"replayed":true,`+costFacts+"}"
	tagged := `{"entry":"ab","unit":"row","mechanism":"Gaussian noise",` + costFacts + "}"
	another := strings.Replace(charged, "00.5Z", "00.6Z", 1)
	for _, tc := range []struct {
		name  string
		facts []string
		rows  int
		want  []string
	}{
		{"charged", []string{charged}, 1, []string{"<td>FitLogistic<details><summary>as priced</summary><small>120 × discrete Gaussian</small></details></td>", `<td data-label="ε">1</td><td data-label="δ">1e-06</td><td data-label="neighbours">replace-one</td><td data-label="scope">unconditional</td><td data-label="how">charged in cell 1</td><td data-label="dataset">adult</td>`, "spent ε ≤ 0.9763 of 2 at δ = 1e-05, 1 release in all"}},
		{"shown again", []string{charged, replayed, replayed}, 1, []string{"charged in cell 1; replayed in cells 2, 3"}},
		{"only replayed", []string{replayed}, 1, []string{"replayed in cell 1, charged 2025-03-01 09:30 UTC"}},
		{"same facts at another time", []string{charged, another}, 2, []string{"charged in cell 2"}},
		{"an entry of the ledger, tagged and shown", []string{tagged, "{\"entry\":\"ab\"," + costFacts + "}"}, 1, []string{"FitLogistic<br><small>Gaussian noise</small><details>", "replace-one, one row", "charged in cells 1, 2"}},
		{"two entries alike", []string{tagged, strings.Replace(tagged, `"ab"`, `"cd"`, 1)}, 2, nil},
		{"a later cell that was not run again", []string{strings.Replace(charged, `"releases":1`, `"releases":2`, 1), another}, 2, []string{"2 releases in all"}},
		{"refused", []string{`{"refused":true,` + costFacts + "}"}, 1, []string{"charged in cell 1; a test did not pass: no value"}},
		{"a draw that failed", []string{`{"failed":true,` + costFacts + "}"}, 1, []string{"charged in cell 1; its draw failed: no value"}},
		{"another dataset", []string{charged, strings.ReplaceAll(charged, "adult", "iris")}, 2, []string{"Ledger of adult", "Ledger of iris"}},
		{"a ledger alone", []string{`{"version":1,"kind":"ledger",` + costLedgerFacts + "}"}, 0, []string{"Ledger of adult"}},
		{"not private", []string{`{"version":1,"kind":"release","name":"Means","not_private":"a demonstration"}`}, 1, []string{`<td data-label="scope">none</td><td data-label="how"><strong>NOT PRIVATE</strong>: a demonstration`}},
		{"a fresh ledger", []string{`{"version":1,"kind":"ledger",` + strings.Replace(costLedgerFacts, `"releases":1`, `"releases":0`, 1) + "}"}, -1, nil},
		{"another version", []string{strings.Replace(charged, `"version":1`, `"version":2`, 1)}, -1, nil},
		{"another program's", []string{`{"kind":"release"}`}, -1, nil},
		{"no JSON", []string{"{"}, -1, nil},
		{"no number", []string{strings.Replace(charged, `"epsilon":1`, `"epsilon":"<b>"`, 1)}, -1, nil},
		{"markup", []string{strings.ReplaceAll(charged, "adult", "<script>alert(1)</script>")}, 1, []string{"&lt;script&gt;"}},
		{"none", nil, -1, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := mainOf(t, render(t, costNotebook(tc.facts...), Options{}))
			safe(t, body)
			if has := strings.Contains(body, `class="costs"`); has != (tc.rows >= 0) {
				t.Fatalf("a summary: %v, want %v", has, tc.rows >= 0)
			}
			if rows := max(strings.Count(body, "<tr>")-1, 0); rows != max(tc.rows, 0) {
				t.Errorf("%d releases, want %d", rows, tc.rows)
			}
			for _, want := range tc.want {
				if !strings.Contains(body, want) {
					t.Errorf("no %q in %s", want, body)
				}
			}
			if i := strings.Index(body, `class="costs"`); i > strings.Index(body, "<h1") && i >= 0 {
				t.Error("the summary is not at the top")
			}
		})
	}
}

// TestCostsAsObject: a front end may have stored the facts as an object, and a cell that a page hides
// has its price all the same.
func TestCostsAsObject(t *testing.T) {
	n := costNotebook("")
	c := n.Cells[1]
	c.Outputs[0].Metadata[costKey] = json.RawMessage("{" + costFacts + "}")
	c.Metadata = map[string]json.RawMessage{"tags": json.RawMessage(`["remove-cell"]`)}
	if body := mainOf(t, render(t, n, Options{})); !strings.Contains(body, "<td>FitLogistic") {
		t.Errorf("no release in %s", body)
	}
	n.Cells = slices.Insert(n.Cells, 0, nil)
	if s := costsOf(n); len(s.Releases) != 1 || s.Releases[0].ChargedIn[0] != 1 {
		t.Errorf("got %+v", s)
	}
}

// FuzzCosts: whatever metadata says, the page stays safe, and each release has one row.
func FuzzCosts(f *testing.F) {
	f.Add("{"+costFacts+"}", `{"replayed":true,`+costFacts+"}")
	f.Add(`{"version":1,"kind":"release","not_private":"\u0000<b>"}`, `{"version":1,"kind":"ledger","ledger":{}}`)
	f.Add(`"{`, `{"version":1,"kind":"ledger"}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		n := costNotebook(a, b)
		body := mainOf(t, render(t, n, Options{}))
		safe(t, body)
		if got, want := max(strings.Count(body, "<tr>")-1, 0), len(costsOf(n).Releases); got != want {
			t.Errorf("%d rows for %d releases", got, want)
		}
	})
}

// TestTagsShowNothing: what a release leaves in its cell is counted and not drawn.
func TestTagsShowNothing(t *testing.T) {
	o := costDisplay(`{"entry":"ab",` + costFacts + "}")
	o.Data = map[string]json.RawMessage{costMIME: rawJSON("{}")}
	n := notebookOf(&nb.Cell{Type: "code", Source: "%%", Outputs: []nb.Output{o}})
	body := mainOf(t, render(t, n, Options{}))
	if !strings.Contains(body, "charged in cell 1") || strings.Contains(body, "needs a live notebook") || strings.Contains(body, `class="out`) {
		t.Errorf("got %s", body)
	}
}
