package gonb

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// TestGobReadsDisplays holds the bytes to encoding/gob, which the kernel reads them with.
func TestGobReadsDisplays(t *testing.T) {
	long := strings.Repeat("ä", 70000)
	displays := []struct {
		name string
		d    Display
	}{
		{"nothing", Display{}},
		{"text", Display{Data: map[string]string{"text/plain": "one", "text/html": "<b>two</b>"}}},
		{"empty text", Display{Data: map[string]string{"text/plain": ""}}},
		{"long", Display{Data: map[string]string{"text/plain": long, strings.Repeat("k", 300): "x"}}},
		{"bytes", Display{Data: map[string]string{"image/png": "\x00\xff\x80", "text/plain": "x"}, Raw: map[string]bool{"image/png": true}}},
		{"metadata", Display{Data: map[string]string{"a": "b"}, Metadata: map[string]string{"alt": "c", "e": ""}, Widths: map[string]int{"image/png": 900, "d": -3, "f": math.MaxInt}}},
		{"metadata alone", Display{Metadata: map[string]string{"alt": "c"}}},
		{"name", Display{Data: map[string]string{"text/html": "x"}, ID: "progress_1"}},
		{"name and metadata", Display{Data: map[string]string{"text/html": "x"}, ID: "2", Widths: map[string]int{"g": 0}}},
	}
	var stream bytes.Buffer
	stream.Write(gobTypes())
	for _, c := range displays {
		stream.Write(gobDisplayData(c.d))
	}
	dec := gob.NewDecoder(&stream)
	for _, c := range displays {
		want := protocol.DisplayData{DisplayID: c.d.ID}
		if len(c.d.Data) > 0 {
			want.Data = map[protocol.MIMEType]any{}
		}
		for k, v := range c.d.Data {
			want.Data[protocol.MIMEType(k)] = v
			if c.d.Raw[k] {
				want.Data[protocol.MIMEType(k)] = []byte(v)
			}
		}
		if len(c.d.Metadata)+len(c.d.Widths) > 0 {
			want.Metadata = map[string]any{}
		}
		for k, v := range c.d.Metadata {
			want.Metadata[k] = v
		}
		for k, w := range c.d.Widths {
			want.Metadata[k] = map[string]int{"width": w}
		}
		var got protocol.DisplayData
		if err := dec.Decode(&got); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if len(got.Data) == 0 {
			got.Data = nil // gob sends no difference between nil and empty
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
	}
}

// TestGobSharesAStream: gonbui's encoder may write between our messages.
func TestGobSharesAStream(t *testing.T) {
	var stream bytes.Buffer
	enc := gob.NewEncoder(&stream)
	theirs := func(id int) {
		for _, d := range []protocol.DisplayData{
			{Data: map[protocol.MIMEType]any{"text/html": "theirs"}, Metadata: map[string]any{"m": map[string]int{"w": id}}},
			{Data: map[protocol.MIMEType]any{protocol.MIMECommValue: &protocol.CommValue{Address: syncAddress, Value: id}}},
		} {
			if err := enc.Encode(&d); err != nil {
				t.Fatal(err)
			}
		}
	}
	ours := func(id int64) {
		stream.Write(gobDisplayData(Display{Data: map[string]string{"text/html": "ours"}, Widths: map[string]int{"m": int(id)}}))
		stream.Write(gobSync(firstSync + id))
	}
	stream.Write(gobTypes())
	ours(0)
	theirs(1)
	ours(2)
	theirs(3)
	ours(4)
	dec := gob.NewDecoder(&stream)
	for i, who := range []string{"ours", "theirs", "ours", "theirs", "ours"} {
		var d, s protocol.DisplayData
		if err := dec.Decode(&d); err != nil || d.Data["text/html"] != who {
			t.Fatalf("display %d: %v, %v, want %s", i, d, err, who)
		}
		want := i
		if who == "ours" {
			want += firstSync
		}
		if err := dec.Decode(&s); err != nil || s.Data[protocol.MIMECommValue] != (protocol.CommValue{Address: protocol.GonbuiSyncAddress, Value: want}) {
			t.Fatalf("request %d: %v, %v", i, s, err)
		}
	}
}

// TestGobAcknowledgement: of all that a kernel sends, the one answer counts.
func TestGobAcknowledgement(t *testing.T) {
	const id = firstSync + 7
	var stream bytes.Buffer
	enc := gob.NewEncoder(&stream)
	for name, c := range map[string]struct {
		v    protocol.CommValue
		want bool
	}{
		"answer":         {protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: id}, true},
		"to another":     {protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: id + 1}, false},
		"to gonbui":      {protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: 7}, false},
		"a widget":       {protocol.CommValue{Address: "/widget", Value: id}, false},
		"another type":   {protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: "x"}, false},
		"a map":          {protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: map[string]int{"a": id}}, false},
		"a longer name":  {protocol.CommValue{Address: "x" + protocol.GonbuiSyncAckAddress, Value: id}, false},
		"a request":      {protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Request: true, Value: id}, false},
		"without a name": {protocol.CommValue{Value: id}, false},
	} {
		stream.Reset()
		if err := enc.Encode(&c.v); err != nil {
			t.Fatal(err)
		}
		p := pipe{in: bufio.NewReader(&stream)}
		found := false
		for {
			n, err := gobLength(p.in)
			if err != nil {
				break
			}
			message := make([]byte, n)
			if _, err := io.ReadFull(p.in, message); err != nil {
				t.Fatal(err)
			}
			found = found || isAck(message, id)
		}
		if found != c.want {
			t.Errorf("%s: taken as the answer: %v", name, found)
		}
	}
}

// TestGobNames are those that gonbui/protocol registers or declares.
func TestGobNames(t *testing.T) {
	comm := reflect.TypeFor[protocol.CommValue]()
	got := map[string]string{
		commName: comm.PkgPath() + "." + comm.Name(), pipeEnv: protocol.GONB_PIPE_ENV, pipeBackEnv: protocol.GONB_PIPE_BACK_ENV,
		syncAddress: protocol.GonbuiSyncAddress, syncAckAddress: protocol.GonbuiSyncAckAddress, commMIME: string(protocol.MIMECommValue),
	}
	for ours, theirs := range got {
		if ours != theirs {
			t.Errorf("%q, of GoNB %q", ours, theirs)
		}
	}
}

// TestUsesGoNB: this binary does. Cells that do not are tested in the kernel, with the notebooks.
func TestUsesGoNB(t *testing.T) {
	if path := reflect.TypeFor[protocol.CommValue]().PkgPath(); !strings.HasPrefix(path, gonbModule+"/") {
		t.Errorf("GoNB's module is not %s: it has %s", gonbModule, path)
	}
	if !UsesGoNB() {
		t.Error("a test binary was taken to be without GoNB")
	}
}
