package kernel

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

func TestOutputs(t *testing.T) {
	type msg struct{ typ, content string }
	display := func(typ, id, value string) msg {
		transient := "{}"
		if id != "" {
			transient = `{"display_id":"` + id + `"}`
		}
		return msg{typ, `{"data":{"text/plain":"` + value + `"},"metadata":{},"transient":` + transient + `}`}
	}
	out, errText := func(s string) msg { return msg{"stream", `{"name":"stdout","text":"` + s + `"}`} },
		func(s string) msg { return msg{"stream", `{"name":"stderr","text":"` + s + `"}`} }
	for _, tc := range []struct {
		name string
		in   []msg
		want string
	}{
		{"merged", []msg{out("a"), out("b"), errText("x"), errText("y"), out("c")}, "stdout:ab stderr:xy stdout:c"},
		{"split by a display", []msg{out("a"), display("display_data", "", "1"), out("b")}, "stdout:a 1 stdout:b"},
		{"update", []msg{display("display_data", "i", "1"), display("display_data", "j", "2"), display("update_display_data", "i", "3")}, "3 2"},
		{"update of two", []msg{display("display_data", "i", "1"), display("display_data", "i", "2"), display("update_display_data", "i", "3")}, "3 3"},
		{"update of nothing", []msg{display("update_display_data", "i", "3")}, ""},
		{"clear now", []msg{out("a"), {"clear_output", `{"wait":false}`}, out("b")}, "stdout:b"},
		{"clear and wait", []msg{out("a"), {"clear_output", `{"wait":true}`}}, "stdout:a"},
		{"clear at the next", []msg{out("a"), {"clear_output", `{"wait":true}`}, out("b"), out("c")}, "stdout:bc"},
		{"cleared display", []msg{display("display_data", "i", "1"), {"clear_output", `{}`}, display("display_data", "j", "2"), display("update_display_data", "i", "3")}, "2"},
		{"result", []msg{{"execute_result", `{"execution_count":4,"data":{"text/plain":"r"},"metadata":{}}`}}, "4=r"},
		{"error", []msg{{"error", `{"ename":"E","evalue":"v","traceback":["t"]}`}}, "E:v:t"},
		{"others", []msg{{"status", `{"execution_state":"busy"}`}, {"execute_input", `{"code":"x","execution_count":1}`}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := outputs{displays: map[string][]place{}}
			c := &cellOutputs{Cell: &nb.Cell{Type: "code"}}
			for _, m := range tc.in {
				if _, err := o.apply(c, message{Header: header{Type: m.typ}, Content: json.RawMessage(m.content)}); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, out := range c.Outputs {
				var value string
				_ = json.Unmarshal(out.Data["text/plain"], &value)
				switch out.Type {
				case "stream":
					got = append(got, out.Name+":"+out.Text)
				case "execute_result":
					got = append(got, string(rune('0'+out.ExecutionCount))+"="+value)
				case "error":
					got = append(got, out.EName+":"+out.EValue+":"+strings.Join(out.Traceback, ","))
				default:
					got = append(got, value)
				}
			}
			if s := strings.Join(got, " "); s != tc.want {
				t.Errorf("got %q, want %q", s, tc.want)
			}
		})
	}
	t.Run("damaged", func(t *testing.T) {
		o := outputs{}
		if _, err := o.apply(&cellOutputs{Cell: &nb.Cell{}}, message{Header: header{Type: "stream"}, Content: json.RawMessage(`[]`)}); err == nil {
			t.Error("a list was accepted as content")
		}
	})
}
