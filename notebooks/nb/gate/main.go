// Command gate starts a notebook kernel behind a gate: "gate gonb --kernel connection.json …" runs gonb with sockets in a folder that
// its owner alone can enter, and serves the ports of the connection file itself. To the kernel it passes what is signed with the
// session's key, heartbeats and subscriptions; everything else is dropped. One message without a signature ends GoNB (v0.11.4), one
// frame of a wild length its ZeroMQ library (go-zeromq v0.17.0), and every user of the computer can send either.
//
// The process becomes the kernel, so that signals and the end of it are the kernel's own; a child of it is the gate, and ends with it.
//
// A folder "cells" beside the gate stands first on the kernel's PATH: its program go builds cells (cellgo), whoever starts the kernel.
//
// What Jupyter's protocol leaves open stays open: what a kernel publishes is not encrypted, and whoever finds the port may read it,
// unless the front end is told to use sockets in the file system (--KernelManager.transport=ipc), which need no gate.
//
// It is a program without dependencies: package nb carries its source, and nb lab builds it and puts it into the kernel's spec.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// gateEnv names the folder of the kernel's sockets to the child that is the gate.
const gateEnv = "DPNB_GATE"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "gate: got no program, want: gate gonb --kernel connection.json …: nb lab installs it")
		os.Exit(2)
	}
	var err error
	if dir := os.Getenv(gateEnv); dir != "" {
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // they are the kernel's, whose end is the gate's
		err = serve(os.Args[1], dir, os.Getppid())
	} else {
		err = guard(os.Args[1:])
	}
	fmt.Fprintln(os.Stderr, "gate:", err)
	os.Exit(1)
}

// guard starts the gate and becomes the kernel. It returns where that fails.
func guard(args []string) error {
	if err := builderFirst(); err != nil {
		return err
	}
	at, file := connectionFile(args)
	if file == "" {
		return replace(args, os.Environ())
	}
	c, all, err := readConnection(file)
	if err != nil {
		return err
	}
	if c.Transport != "tcp" || c.Key == "" { // files of their owner, or a session that is to be open
		return replace(args, os.Environ())
	}
	dir, err := folder()
	if err != nil {
		return err
	}
	all["transport"], all["ip"] = "ipc", sockets(dir)
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	inner := filepath.Join(dir, filepath.Base(file)) // GoNB takes its ID from this name
	if err := os.WriteFile(inner, data, 0o600); err != nil {
		return err
	}
	if err := startGate(file, dir); err != nil {
		_ = os.RemoveAll(dir)
		return err
	}
	args[at] = strings.TrimSuffix(args[at], file) + inner
	return replace(args, os.Environ())
}

// cells is the folder of the builder of cells.
const cells = "cells"

// keepEnv names the folder where the builder of cells keeps how builds go for kernels to come (package prebuilt, which see).
const keepEnv = "DPNB_CELLGO_KEEP"

// builderFirst puts the folder cells in front of the kernel's PATH, where there is one, and says where it keeps what other kernels may
// repeat: where those of nb do.
func builderFirst() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := filepath.Join(filepath.Dir(self), cells)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv(keepEnv) == "" {
		if err := os.Setenv(keepEnv, filepath.Join(cache, "dpnb", "tools", "builds")); err != nil {
			return err
		}
	}
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// connectionFile finds the value of the flag kernel.
func connectionFile(args []string) (at int, file string) {
	for i, a := range args {
		name, value, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		switch {
		case name != "kernel" || !strings.HasPrefix(a, "-"):
		case joined:
			return i, value
		case i+1 < len(args):
			return i + 1, args[i+1]
		}
	}
	return 0, ""
}

// connection is what a front end writes for a kernel.
type connection struct {
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	Key             string `json:"key"`
	SignatureScheme string `json:"signature_scheme"`

	Shell   int `json:"shell_port"`
	IOPub   int `json:"iopub_port"`
	Stdin   int `json:"stdin_port"`
	Control int `json:"control_port"`
	HB      int `json:"hb_port"`
}

func readConnection(file string) (c connection, all map[string]any, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return c, nil, err
	}
	if err := errors.Join(json.Unmarshal(data, &c), json.Unmarshal(data, &all)); err != nil {
		return c, nil, fmt.Errorf("%s: %w", file, err)
	}
	if c.Key != "" && c.SignatureScheme != "hmac-sha256" {
		return c, nil, fmt.Errorf("%s: signature scheme: got %q, want hmac-sha256, the only one of GoNB", file, c.SignatureScheme)
	}
	return c, all, nil
}

// sockets begins the paths of the kernel's sockets; a dash and the port follow.
func sockets(dir string) string { return filepath.Join(dir, "zmq") }

// folder makes a folder that its owner alone can enter. Paths of sockets have at most 103 bytes on some systems.
func folder() (string, error) {
	dir, err := os.MkdirTemp("", "dpnb-kernel-") // mode 0700
	if err == nil && len(sockets(dir)) > 95 {
		_ = os.Remove(dir)
		return os.MkdirTemp("/tmp", "dpnb-kernel-")
	}
	return dir, err
}

// startGate starts the gate, and returns when it has the ports.
func startGate(file, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, file)
	cmd.Env, cmd.Stderr = append(os.Environ(), gateEnv+"="+dir), os.Stderr
	apart(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != ready {
		_ = cmd.Wait()
		return errors.New("the gate did not open")
	}
	return nil
}
