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
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

func TestLabDry(t *testing.T) {
	for _, tc := range []struct {
		name     string
		programs []string
		args     []string
		code     int
		want     []string
		not      string
	}{
		{"Jupyter Notebook", []string{"jupyter-lab", "jupyter-notebook", "code"}, []string{"../.."}, exitOK, []string{
			"would install GoNB v0.11.4, pinned in ", "jupyter-data/kernels/gonb/kernel.json", "install golang.org/x/tools/cmd/goimports",
			"github.com/dpkit-go/dpnb/dpkit ", "and run a cell", "/jupyter-notebook ../..",
		}, "jupyter-lab"},
		{"JupyterLab", []string{"jupyter-lab", "goimports"}, []string{"../.."}, exitOK, []string{"/jupyter-lab ../.."}, "would run go"},
		{"VS Code", []string{"code"}, []string{"../../quickstart.ipynb"}, exitOK, []string{"/code ../../quickstart.ipynb"}, ""},
		{"a choice", []string{"jupyter-notebook", "code"}, []string{"-with", "code"}, exitOK, []string{"/code .", "dpnb/dpkit github.com/dpkit-go/dpnb/frames github.com/dpkit-go/dpnb/viz"}, "jupyter-notebook ."},
		{"only prepare", nil, []string{"-no-open"}, exitOK, []string{"would install"}, "open"},
		{"nothing to open", nil, nil, exitEnvironment, []string{"neither jupyter-notebook, jupyter-lab nor code is on PATH", installJupyter}, ""},
		{"the chosen one is missing", []string{"code"}, []string{"-with", "lab"}, exitEnvironment, []string{"no jupyter-lab is on PATH"}, ""},
		{"unknown choice", nil, []string{"-with", "emacs"}, exitUsage, []string{"want notebook, lab or code"}, ""},
		{"no such folder", nil, []string{"missing"}, exitUsage, []string{"no such file"}, ""},
		{"two folders", nil, []string{".", "."}, exitUsage, []string{"want one"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bin := emptyPath(t, tc.programs...)
			var out strings.Builder
			code := command(t.Context(), append([]string{"lab", "-n"}, tc.args...), &out, &out)
			if code != tc.code || tc.not != "" && strings.Contains(out.String(), tc.not) {
				t.Errorf("exit %d, want %d and no %q in\n%s", code, tc.code, tc.not, &out)
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, &out)
				}
			}
			if _, err := os.Stat(filepath.Join(bin, "jupyter-data")); err == nil {
				t.Error("a dry run installed something")
			}
		})
	}
}

// TestLab installs the kernel, runs the cell and starts a stand-in for Jupyter.
func TestLab(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	notes := filepath.Join(bin, "notes")
	putProgram(t, filepath.Join(bin, "jupyter-notebook"), `echo "$@" >'`+notes+`'`)
	putProgram(t, filepath.Join(bin, "goimports"), "exit 0")
	data := filepath.Join(bin, "data")
	run := func(args ...string) (int, string, string) {
		cmd := program("testdata", args...) // inside the module
		cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "JUPYTER_DATA_DIR="+data, "TMPDIR="+dir)
		return execute(t, cmd)
	}
	code, stdout, stderr := run("lab", ".")
	if code != exitOK || stderr != "" {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if !strings.Contains(stdout, "the kernel works: 2 of 2 cells ran, 0 failed") {
		t.Errorf("no cell ran:\n%s", stdout)
	}
	if said, err := os.ReadFile(notes); err != nil || string(said) != ".\n" {
		t.Errorf("Jupyter was started with %q (%v)", said, err)
	}
	// The go command of Jupyter's kernels is the builder of cells, with the real one behind it, whoever starts them.
	spec := filepath.Join(data, "kernels", "gonb")
	inKernel := exec.Command(filepath.Join(spec, "gate"), "/bin/sh", "-c", "command -v go; go env GOOS; echo $"+prebuilt.KeepEnv)
	inKernel.Env = append(os.Environ(), "XDG_CACHE_HOME="+bin, prebuilt.KeepEnv+"=")
	keeps := filepath.Join(bin, "dpnb", "tools", "builds")
	if runtime.GOOS != "linux" {
		keeps = "" // the user's cache folder is another
	}
	if said, err := inKernel.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), filepath.Join(spec, "cells", "go")+"\n"+runtime.GOOS+"\n"+keeps) {
		t.Errorf("a kernel's go command: %q (%v)", said, err)
	}
	if got := files(t, filepath.Join(data, "kernels", "gonb")); got != "cells gate gonb kernel.json logo-svg.svg" {
		t.Errorf("installed %s", got)
	}
	if got := files(t, dir); got != "" {
		t.Errorf("%s is left", got)
	}
	if code, stdout, stderr := run("doctor"); code != exitOK || !strings.Contains(stdout, "ok       kernel spec  Jupyter starts GoNB v0.11.4, "+filepath.Join(data, "kernels", "gonb", "gonb")) {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	unsignedMessages(t, filepath.Join(data, "kernels", "gonb", "kernel.json"), append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")))
}

// unsignedMessages starts the installed kernel as Jupyter does and sends it messages that nobody signed. It goes on.
func unsignedMessages(t *testing.T, specFile string, env []string) {
	t.Helper()
	var spec struct{ Argv []string }
	data, err := os.ReadFile(specFile)
	if err == nil {
		err = json.Unmarshal(data, &spec)
	}
	if err != nil || len(spec.Argv) < 4 {
		t.Fatalf("the spec %s: %v", data, err)
	}
	const key = "the key of the session"
	connection := map[string]any{"transport": "tcp", "ip": "127.0.0.1", "key": key, "signature_scheme": "hmac-sha256"}
	channels := []string{"shell", "control", "stdin", "iopub", "hb"}
	ports := freePorts(t, channels)
	for name, port := range ports {
		connection[name+"_port"] = port
	}
	file := filepath.Join(t.TempDir(), "kernel-0a1b.json")
	if data, err = json.Marshal(connection); err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range spec.Argv {
		spec.Argv[i] = strings.ReplaceAll(a, "{connection_file}", file)
	}
	kernel := exec.Command(spec.Argv[0], spec.Argv[1:]...)
	kernel.Env = env
	if err := kernel.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- kernel.Wait() }()
	defer func() { _ = kernel.Process.Kill(); <-ended }()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dial := func(channel string) zmq4.Socket {
		t.Helper()
		s := zmq4.NewDealer(ctx, zmq4.WithDialerMaxRetries(-1), zmq4.WithLogger(log.New(io.Discard, "", 0)))
		t.Cleanup(func() { _ = s.Close() })
		if err := s.Dial(fmt.Sprintf("tcp://127.0.0.1:%d", ports[channel])); err != nil {
			t.Fatal(channel, err)
		}
		return s
	}
	message := func(key string) zmq4.Msg {
		parts := [][]byte{[]byte(`{"msg_id":"1","session":"s","username":"u","msg_type":"kernel_info_request","version":"5.3"}`), []byte("{}"), []byte("{}"), []byte("{}")}
		mac := hmac.New(sha256.New, []byte(key))
		for _, p := range parts {
			mac.Write(p)
		}
		return zmq4.NewMsgFrom(append([][]byte{[]byte("<IDS|MSG>"), hex.AppendEncode(nil, mac.Sum(nil))}, parts...)...)
	}
	shell := dial("shell")
	ask := func() {
		t.Helper()
		if err := shell.SendMulti(message(key)); err != nil {
			t.Fatal(err)
		}
		if m, err := shell.Recv(); err != nil || !strings.Contains(string(bytes.Join(m.Frames, nil)), "kernel_info_reply") {
			t.Fatalf("got %q (%v), want the kernel's answer", m.Frames, err)
		}
	}
	ask()
	for _, channel := range channels[:3] {
		s := dial(channel)
		for _, m := range []zmq4.Msg{message("another key"), message(""), zmq4.NewMsgString("garbage"), zmq4.NewMsgString("<IDS|MSG>")} {
			if err := s.SendMulti(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	select {
	case err := <-ended:
		ended <- err
		t.Fatalf("the kernel ended: %v", err)
	case <-time.After(time.Second):
	}
	ask()
}

// freePorts finds a port for each name. All are held until all are found.
func freePorts(t *testing.T, names []string) map[string]int {
	t.Helper()
	ports := map[string]int{}
	for _, name := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[name] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}
