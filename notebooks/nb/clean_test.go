package nb

import (
	"bytes"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	const text = `{"cells":[
 {"cell_type":"markdown","id":"a","metadata":{"vscode":{"x":1},"tags":["t"]},"source":"# Title"},
 {"cell_type":"code","id":"b","metadata":{"ExecuteTime":{},"execution":{},"scrolled":true,"collapsed":true},"execution_count":3,"source":"%%",
  "outputs":[{"output_type":"stream","name":"stdout","text":"kept\n"},{"output_type":"execute_result","execution_count":3,"data":{},"metadata":{}}]}
],"metadata":{"kernelspec":{"name":"gonb"},"signature":"x"},"nbformat":4,"nbformat_minor":5}`
	for _, outputs := range []bool{false, true} {
		n, err := Parse("n", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if !n.Clean(outputs) || n.Clean(outputs) {
			t.Error("the first call has to change something, the second nothing")
		}
		var b bytes.Buffer
		if err := n.Write(&b); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		for _, gone := range []string{"vscode", "ExecuteTime", "\"execution\"", "scrolled", "signature", ": 3"} {
			if strings.Contains(got, gone) {
				t.Errorf("%s is left in\n%s", gone, got)
			}
		}
		for _, kept := range []string{"tags", "collapsed", "kernelspec", "# Title"} {
			if !strings.Contains(got, kept) {
				t.Errorf("%s is gone from\n%s", kept, got)
			}
		}
		if strings.Contains(got, "kept") == outputs {
			t.Errorf("outputs=%v gives\n%s", outputs, got)
		}
		if _, err := Parse("n", b.Bytes()); err != nil {
			t.Error(err)
		}
	}
}
