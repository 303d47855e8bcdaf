//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

// kernelEnv makes the test binary a kernel.
const kernelEnv = "GATE_TEST_KERNEL"

// self is the gate: this program, which is it where it is called so.
var self string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "gate" {
		main()
	}
	if os.Getenv(kernelEnv) != "" {
		kernel(os.Args)
	}
	dir, err := os.MkdirTemp("", "gate-")
	if err != nil {
		panic(err)
	}
	self = filepath.Join(dir, "gate")
	if err := linkTo(self); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// linkTo gives this program another name, or copies it.
func linkTo(name string) error {
	program, err := os.Executable()
	if err != nil || os.Link(program, name) == nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o755)
}

// kernel echoes on the shell what is signed, publishes it, and ends as GoNB does where something is not. It prints its process ID and
// its folder first.
func kernel(args []string) {
	_, file := connectionFile(args)
	c, _, err := readConnection(file)
	if err != nil || c.Transport != "ipc" {
		fmt.Println("no ipc", err)
		os.Exit(1)
	}
	end := func(why ...any) {
		fmt.Println(why...)
		os.Exit(3)
	}
	listen := func(s zmq4.Socket, port int) zmq4.Socket {
		if err := s.Listen(fmt.Sprintf("ipc://%s-%d", c.IP, port)); err != nil {
			end(err)
		}
		return s
	}
	ctx := context.Background()
	pub := listen(zmq4.NewPub(ctx), c.IOPub)
	signed := signedWith([]byte(c.Key))
	for _, port := range []int{c.Shell, c.Control, c.Stdin} {
		s := listen(zmq4.NewRouter(ctx), port)
		go func() {
			for {
				m, err := s.Recv()
				if err != nil || !signed(m.Frames) {
					end("an unsigned message or", err)
				}
				if err := s.SendMulti(m); err != nil {
					end(err)
				}
				if err := pub.Send(zmq4.NewMsg(m.Frames[len(m.Frames)-1])); err != nil {
					end(err)
				}
			}
		}()
	}
	beat := listen(zmq4.NewRep(ctx), c.HB)
	fmt.Println(os.Getpid(), filepath.Dir(file), filepath.Base(file))
	for {
		m, err := beat.Recv()
		if err == nil {
			err = beat.Send(m)
		}
		if err != nil {
			end("the heartbeat", err)
		}
	}
}

const testKey = "the key of the session"

// signedMessage is a message of Jupyter's with some content.
func signedMessage(key, content string) [][]byte {
	parts := [][]byte{[]byte("{}"), []byte("{}"), []byte("{}"), []byte(content)}
	mac := hmac.New(sha256.New, []byte(key))
	for _, p := range parts {
		mac.Write(p)
	}
	return append([][]byte{[]byte(delimiter), hex.AppendEncode(nil, mac.Sum(nil))}, parts...)
}

// running is a kernel behind a gate.
type running struct {
	connection
	cmd     *exec.Cmd
	folder  string
	started string // what the kernel said
}

func start(t *testing.T, file string) *running {
	t.Helper()
	r := &running{}
	var err error
	if r.connection, _, err = readConnection(file); err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(self, os.Args[0], "--kernel", file, "-raw_error=false")
	r.cmd.Env = append(os.Environ(), kernelEnv+"=1")
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	buffer := make([]byte, 4096)
	n, err := out.Read(buffer)
	r.started = strings.TrimSpace(string(buffer[:n]))
	f := strings.Fields(r.started)
	if err != nil || len(f) != 3 || f[0] != strconv.Itoa(r.cmd.Process.Pid) || f[2] != filepath.Base(file) {
		t.Fatalf("the kernel said %q (%v), want the ID of the process, its folder and the name %s", r.started, err, filepath.Base(file))
	}
	r.folder = f[1]
	return r
}

// connectionOf writes a connection file with free ports.
func connectionOf(t *testing.T, change func(map[string]any)) string {
	t.Helper()
	all := map[string]any{"transport": "tcp", "ip": "127.0.0.1", "key": testKey, "signature_scheme": "hmac-sha256", "kernel_name": "gonb"}
	for _, name := range []string{"shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all[name] = l.Addr().(*net.TCPAddr).Port
	}
	if change != nil {
		change(all)
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kernel-0a1b.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (r *running) dial(t *testing.T, s zmq4.Socket, port int) zmq4.Socket {
	t.Helper()
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Dial(fmt.Sprintf("tcp://127.0.0.1:%d", port)); err != nil {
		t.Fatal(err)
	}
	return s
}

var quiet = zmq4.WithLogger(log.New(io.Discard, "", 0))

// asks sends signed messages until what is published about one has come, and wants each answered.
func (r *running) asks(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	shell := r.dial(t, zmq4.NewDealer(ctx, quiet, zmq4.WithID(zmq4.SocketIdentity("front"))), r.Shell)
	control := r.dial(t, zmq4.NewDealer(ctx, quiet), r.Control)
	sub := zmq4.NewSub(ctx, quiet)
	if err := sub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		t.Fatal(err)
	}
	r.dial(t, sub, r.IOPub)
	published := make(chan zmq4.Msg, 100)
	go func() {
		for {
			m, err := sub.Recv()
			if err != nil {
				return
			}
			published <- m
		}
	}()
	long := strings.Repeat("x", 1000)
	for i := 0; ; i++ {
		for name, s := range map[string]zmq4.Socket{"shell": shell, "control": control} {
			want := signedMessage(testKey, fmt.Sprintf(`{"code":"%s %d%s"}`, name, i, long))
			if err := s.SendMulti(zmq4.NewMsgFrom(want...)); err != nil {
				t.Fatal(err)
			}
			got, err := s.Recv()
			if err != nil || !bytes.Equal(bytes.Join(got.Frames, nil), bytes.Join(want, nil)) {
				t.Fatalf("%s: got %q (%v), want the message back", name, got.Frames, err)
			}
		}
		select {
		case <-published:
			beat := r.dial(t, zmq4.NewReq(ctx, quiet), r.HB)
			if err := beat.Send(zmq4.NewMsgString("ping")); err != nil {
				t.Fatal(err)
			}
			if m, err := beat.Recv(); err != nil || string(m.Bytes()) != "ping" {
				t.Fatalf("the heartbeat: %v, %v", m, err)
			}
			return
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("nothing was published")
		}
	}
}

// raw sends bytes to a port, and waits until the other side hangs up where it is to.
func (r *running) raw(t *testing.T, port int, hangs bool, data ...[]byte) {
	t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := conn.Write(bytes.Join(data, nil)); err != nil {
		if !hangs || os.IsTimeout(err) {
			t.Fatal(err)
		}
		return // it hung up before all of it was sent
	}
	if !hangs {
		_ = conn.SetDeadline(time.Time{})
		return
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && os.IsTimeout(err) {
		t.Error("the gate keeps a connection that breaks the protocol")
	}
}

// TestGate: messages that are signed pass in both directions; what is not, from garbage to what ends ZeroMQ libraries, ends no more
// than its connection, on every channel. The gate is there as long as the kernel, and a kernel that is started again has the ports.
func TestGate(t *testing.T) {
	file := connectionOf(t, nil)
	r := start(t, file)
	r.asks(t)
	if info, err := os.Stat(r.folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of the sockets is %v (%v), want it to be its owner's", info.Mode(), err)
	}

	dealer := ready30(peer{"DEALER", "x"})
	wild := append([]byte{flagLong}, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	for name, port := range map[string]int{"shell": r.Shell, "control": r.Control, "stdin": r.Stdin, "iopub": r.IOPub, "heartbeat": r.HB} {
		hello := dealer
		if name == "iopub" {
			hello = ready30(peer{"SUB", ""})
		}
		r.raw(t, port, false) // and says nothing
		r.raw(t, port, true, []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), bytes.Repeat([]byte("x"), 100))
		r.raw(t, port, true, greeting[:], wild)
		r.raw(t, port, true, greeting[:], []byte{flagCommand, 7}, []byte("\x05READY\xff"))
		r.raw(t, port, true, greeting[:], ready30(peer{"PUSH", ""}))
		r.raw(t, port, true, greeting[:], hello, wild)
		r.raw(t, port, true, greeting[:], hello, bytes.Repeat([]byte{flagMore, 0}, 1<<20))
		for _, message := range [][][]byte{
			signedMessage("another key", "{}"),
			{[]byte(delimiter), nil, []byte("{}"), []byte("{}"), []byte("{}"), []byte("{}")},
			{[]byte(delimiter)},
			{bytes.Repeat([]byte("\x00\xff"), 20)},
			{nil},
			{nil, nil},
			{[]byte(delimiter), []byte("zz"), []byte("{}"), []byte("{}"), []byte("{}")},
			{[]byte(delimiter), signedMessage(testKey, "{}")[1], []byte("{}")},
		} {
			r.raw(t, port, false, greeting[:], hello, encode(message))
		}
		r.raw(t, port, false, greeting[:], hello, appendFrame(nil, flagCommand, []byte("\x04PING")))
	}
	r.asks(t)

	if err := syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL); err != nil { // the whole group, as Jupyter does
		t.Fatal(err)
	}
	_, _ = r.cmd.Process.Wait()
	again := start(t, file)
	again.asks(t)
	if _, err := os.Stat(r.folder); err == nil {
		t.Errorf("%s is left", r.folder)
	}
}

// TestGateStandsAside: where there is nothing to guard the kernel is started as it was asked for.
func TestGateStandsAside(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(map[string]any)
	}{
		{"sockets in the file system", func(all map[string]any) { all["transport"], all["ip"] = "ipc", "/nowhere/zmq" }},
		{"an open session", func(all map[string]any) { all["key"] = "" }},
	} {
		file := connectionOf(t, tc.change)
		out, err := exec.Command(self, "echo", "--kernel="+file, "-x").CombinedOutput()
		if want := "--kernel=" + file + " -x\n"; err != nil || string(out) != want {
			t.Errorf("%s: %v: got %q, want %q", tc.name, err, out, want)
		}
	}
	for _, args := range [][]string{{"echo", "--install"}, {"echo", "--kernel"}, {"echo"}} {
		out, err := exec.Command(self, args...).CombinedOutput()
		if want := strings.Join(args[1:], " ") + "\n"; err != nil || string(out) != want {
			t.Errorf("%v: %v: got %q, want %q", args, err, out, want)
		}
	}
	for name, args := range map[string][]string{
		"got no program":   nil,
		"no such file":     {"echo", "--kernel", "/nowhere/kernel-1.json"},
		"want hmac-sha256": {"echo", "--kernel", connectionOf(t, func(all map[string]any) { all["signature_scheme"] = "hmac-md5" })},
		"gate did not":     {"echo", "--kernel", connectionOf(t, func(all map[string]any) { all["ip"] = "no address" })},
	} {
		if out, err := exec.Command(self, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), name) {
			t.Errorf("%v: %v: %s, want %q", args, err, out, name)
		}
	}
}

// TestPass: what may pass on a channel.
func TestPass(t *testing.T) {
	good := signedMessage(testKey, `{"code":"1"}`)
	signed := signedWith([]byte(testKey))
	b := func(words ...string) (m [][]byte) {
		for _, w := range words {
			m = append(m, []byte(w))
		}
		return m
	}
	for _, tc := range []struct {
		name    string
		pass    func([][]byte) bool
		message [][]byte
		want    bool
	}{
		{"signed", signed, good, true},
		{"behind routing IDs", signed, append(b("a", ""), good...), true},
		{"with buffers", signed, append(good[:6:6], []byte("buffer")), true},
		{"another key", signed, signedMessage("x", `{}`), false},
		{"another content", signed, append(good[:5:5], []byte(`{"code":"2"}`)), false},
		{"a part less", signed, good[:5], false},
		{"no delimiter", signed, good[1:], false},
		{"nothing", signed, nil, false},
		{"subscribes to all", subscription, b("\x01"), true},
		{"subscribes", subscription, b("\x01topic"), true},
		{"unsubscribes", subscription, b("\x00topic"), true},
		{"subscribes emptily", subscription, b(""), false},
		{"subscribes otherwise", subscription, b("\x02"), false},
		{"subscribes twice", subscription, b("\x01", "\x01"), false},
		{"beats", heartbeat, b("", "ping"), true},
		{"beats without an envelope", heartbeat, b("ping"), false},
		{"beats emptily", heartbeat, b("", ""), false},
		{"beats at length", heartbeat, b("", strings.Repeat("x", 1000)), false},
	} {
		if got := tc.pass(tc.message); got != tc.want {
			t.Errorf("%s: got %v", tc.name, got)
		}
	}
}

// FuzzFrontEnd: whatever a front end says is read or refused, and what is read is written as it was.
func FuzzFrontEnd(f *testing.F) {
	f.Add(append(append(greeting[:len(greeting):len(greeting)], ready30(peer{"DEALER", "id"})...), encode(signedMessage(testKey, "{}"))...))
	f.Add(greeting[:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, said []byte) {
		in := bytes.NewReader(said)
		p, err := greetFrontEnd(io.Discard, in, []string{"DEALER", "SUB"})
		if err != nil {
			return
		}
		_, body, err := readFrame(bytes.NewReader(ready30(p)), mostReady)
		if again, err2 := parseReady(body); err != nil || err2 != nil || again != p {
			t.Errorf("%+v became %+v (%v, %v)", p, again, err, err2)
		}
		for {
			m, err := readMessage(in, 1<<16)
			if err != nil {
				return
			}
			if m == nil {
				continue
			}
			again, err := readMessage(bytes.NewReader(encode(m)), 1<<17)
			if err != nil || fmt.Sprintf("%q", again) != fmt.Sprintf("%q", m) {
				t.Errorf("%q became %q (%v)", m, again, err)
			}
		}
	})
}
