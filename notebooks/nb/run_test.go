package nb

import (
	"testing"
	"context"
	"time"
	"fmt"
)

func TestSmoke(t *testing.T) {
	n := &Notebook{NBFormat: 4, NBFormatMinor: 5, Cells: []*Cell{
		{Type: "code", Source: "%%\nfmt.Println(\"hi\")"},
		{Type: "code", Source: "!false"},
		{Type: "code", Source: "!go version; (echo 'exit status 1' >&2; true)\n!true"},
		{Type: "code", Source: "!true\n!exec false"},
		{Type: "code", Source: "%%\nvar x int = \"a\"\nundefd()"},
		{Type: "code", Source: "%%\nfunc() {\npanic(1)\n}()"},
		{Type: "code", Source: "%%bash\nexit 3"},
		{Type: "code", Source: "%%sh\nexit 3"},
		{Type: "code", Source: "%nosuch 3"},
		{Type: "code", Source: "%%script nosuchprog\nexit 3"},
		{Type: "code", Source: "%%writefile /nosuch/dir\nexit 3"},
		{Type: "code", Source: "!sleep 100\n!sleep 100"},
		{Type: "code", Source: "%%\nos.Exit(4)"},
		{Type: "code", Source: "%with_inputs\n!read x; echo $x"},
		{Type: "code", Source: "%%\nfmt.Println(\"hi\")"},
	}}
	r, err := Run(context.Background(), n, RunOptions{KeepGoing: true, Timeout: 5*time.Second, Progress: func(e Event) { if e.Kind == CellEnd || e.Kind == Note { fmt.Printf("%d %q %v %q %v %v\n", e.Kind, e.Source, e.Report.Status, e.Text, e.Report.Err, e.Report.Duration)} }})
	fmt.Println(r.Start, r.Total, err != nil)
	b, _ := n.encode()
	fmt.Println(string(b))
}
