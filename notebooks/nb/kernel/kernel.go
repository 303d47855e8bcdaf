package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-zeromq/zmq4"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

const (
	startTimeout    = 60 * time.Second // a cold disk and a busy machine included
	shutdownTimeout = 3 * time.Second
	logTail         = 1500 // bytes of the kernel's log in an error
)

// kernel is a running GoNB kernel and the connection to it.
type kernel struct {
	signer
	dir      string // temporary: connection file, log, GoNB's build folder
	process  *process
	shells   *shellStatus
	signals  *signalLog
	shell    zmq4.Socket
	control  zmq4.Socket
	sockets  []zmq4.Socket // all of them
	incoming chan incoming
	ctx      context.Context // ends with the kernel
	cancel   context.CancelFunc
}

// incoming is a message with the channel it came on: "shell", "iopub" or "stdin".
type incoming struct {
	channel string
	message
	err error // the message was damaged or forged
}

type startOptions struct {
	Dir   string   // working folder of the kernel
	Tools string   // folder with gonb and goimports
	Front string   // folder with the go command of CellGo; "": the go command alone
	Keep  string   // folder for what CellGo keeps for other kernels; "": nothing
	Env   []string // added to the environment, later entries win
}

// startKernel starts GoNB and returns once it answers on every channel.
func startKernel(ctx context.Context, o startOptions) (*kernel, error) {
	k, err := start(ctx, o)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("nb: %w: %w", ErrUnavailable, err)
	}
	return k, err
}

func start(ctx context.Context, o startOptions) (_ *kernel, err error) {
	dir, err := os.MkdirTemp("", "nb-")
	if err == nil && len(dir) > maxFolder {
		_ = os.Remove(dir)
		dir, err = os.MkdirTemp("/tmp", "nb-")
	}
	if err != nil {
		return nil, err
	}
	k := &kernel{
		signer:   signer{key: []byte(randomHex(32)), session: randomHex(16)},
		dir:      dir,
		incoming: make(chan incoming, 64),
	}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			k.close()
		}
	}()

	connection, err := k.writeConnection()
	if err != nil {
		return nil, err
	}
	if k.shells, err = newShellStatus(dir, os.Getenv("BASH_ENV")); err != nil {
		return nil, err
	}
	logFile, err := os.OpenFile(k.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer logFile.Close()
	k.signals = &signalLog{path: k.logPath()}
	cmd := exec.Command(filepath.Join(o.Tools, "gonb"), "-kernel", connection, "-raw_error")
	cmd.Dir = o.Dir
	cmd.Stdout, cmd.Stderr = logFile, logFile
	if cmd.Env, err = k.environment(o); err != nil {
		return nil, err
	}
	if k.process, err = startProcess(cmd, dir); err != nil {
		return nil, err
	}
	if err := k.shells.setKernel(cmd.Process.Pid); err != nil {
		return nil, err
	}
	go func() {
		<-k.process.exited
		k.cancel()
	}()

	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the kernel did not answer within %v", startTimeout))
	defer cancel()
	if err := k.connect(ctx); err != nil {
		return nil, err
	}
	if err := k.handshake(ctx); err != nil {
		return nil, err
	}
	return k, nil
}

// The numbers of the channels, in place of ports.
const (
	shellChannel = iota + 1
	iopubChannel
	stdinChannel
	controlChannel
	heartbeatChannel
)

// maxFolder is the longest path of a folder in which a socket has a name: some systems take 103 bytes in all.
const maxFolder = 90

// socketPath begins the paths of the kernel's sockets. They are in a folder that its owner alone can enter: any message that is not
// signed, from whoever finds a port, would end GoNB, and everybody could read what the cells print.
func (k *kernel) socketPath() string { return filepath.Join(k.dir, "zmq") }

func (k *kernel) writeConnection() (string, error) {
	data, err := json.Marshal(map[string]any{
		"transport": "ipc", "ip": k.socketPath(), "signature_scheme": "hmac-sha256", "key": string(k.key),
		"shell_port": shellChannel, "iopub_port": iopubChannel, "stdin_port": stdinChannel,
		"control_port": controlChannel, "hb_port": heartbeatChannel, "kernel_name": "gonb",
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(k.dir, "kernel-"+randomHex(8)+".json") // GoNB takes its id from this form
	return path, os.WriteFile(path, data, 0o600)
}

func (k *kernel) logPath() string { return filepath.Join(k.dir, "kernel.log") }

// environment is this program's, without traces of a kernel around it, with the pinned programs first
// on PATH and every temporary file in the folder that close removes.
func (k *kernel) environment(o startOptions) ([]string, error) {
	tmp, bin := filepath.Join(k.dir, "tmp"), filepath.Join(k.dir, "bin")
	for _, dir := range []string{tmp, bin} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	// GoNB starts a gopls that it finds, for completion, in a process group out of our reach. A run
	// completes nothing: a gopls that ends at once stands in front of a real one.
	if _, err := exec.LookPath("gopls"); err == nil {
		stub := "#!/bin/sh\necho 'gopls is off while nb runs a notebook' >&2\nexit 1\n"
		if err := os.WriteFile(filepath.Join(bin, "gopls"), []byte(stub), 0o700); err != nil {
			return nil, err
		}
	}
	return o.environment(o.Dir, tmp, k.dir, []string{bin}, "BASH_ENV="+k.shells.script()), nil
}

// environment is what a process in a folder builds cells in: temporary files and folders of its own are said, bin stands before the pinned
// programs, and the options' variables come last.
func (o startOptions) environment(dir, tmp, own string, bin []string, more ...string) []string {
	folders := append(bin, o.Tools, os.Getenv("PATH"))
	if o.Front != "" {
		folders = append([]string{o.Front}, folders...)
	}
	path := strings.Join(folders, string(filepath.ListSeparator))
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "GONB_") })
	env = append(env, "PATH="+path, "TMPDIR="+tmp, "PWD="+dir, prebuilt.KeepEnv+"="+o.Keep, prebuilt.OwnEnv+"="+own)
	return slices.Concat(env, more, o.Env)
}

// connect dials the channels that a client needs. One identity for all: GoNB answers requests of the
// control channel on the shell channel, and asks for input under the identity of the request.
func (k *kernel) connect(ctx context.Context) error {
	opts := []zmq4.Option{
		zmq4.WithID(zmq4.SocketIdentity(k.session)),
		zmq4.WithDialerRetry(20 * time.Millisecond),
		zmq4.WithDialerMaxRetries(-1),
		zmq4.WithLogger(log.New(io.Discard, "", 0)),
	}
	k.shell = zmq4.NewDealer(k.ctx, opts...)
	k.control = zmq4.NewDealer(k.ctx, opts...)
	stdin, iopub := zmq4.NewDealer(k.ctx, opts...), zmq4.NewSub(k.ctx, opts...)
	k.sockets = []zmq4.Socket{k.shell, k.control, stdin, iopub}
	if err := iopub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		return err
	}
	dialed := make(chan error, 1)
	go func() {
		for _, d := range []struct {
			zmq4.Socket
			channel int
		}{{iopub, iopubChannel}, {k.shell, shellChannel}, {stdin, stdinChannel}, {k.control, controlChannel}} {
			if err := d.Dial(fmt.Sprintf("ipc://%s-%d", k.socketPath(), d.channel)); err != nil {
				dialed <- err
				return
			}
		}
		dialed <- nil
	}()
	select {
	case err := <-dialed:
		if err != nil {
			return k.death(err)
		}
	case <-k.ctx.Done():
		return k.death(nil)
	case <-ctx.Done():
		return k.death(context.Cause(ctx))
	}
	go k.receive("iopub", iopub)
	go k.receive("shell", k.shell)
	go k.receive("stdin", stdin)
	return nil
}

func (k *kernel) receive(channel string, socket zmq4.Socket) {
	for {
		raw, err := socket.Recv()
		if err != nil {
			return // closed: the kernel has ended or is about to
		}
		m, err := k.parse(raw.Frames)
		select {
		case k.incoming <- incoming{channel, m, err}:
		case <-k.ctx.Done():
			return
		}
	}
}

// handshake asks until an answer came on shell and its status came on iopub: a subscription that the
// kernel has not seen yet loses messages.
func (k *kernel) handshake(ctx context.Context) error {
	asked := map[string]bool{}
	var replied, published bool
	for !replied || !published {
		id, err := k.send(k.shell, "kernel_info_request", struct{}{})
		if err != nil {
			return k.death(err)
		}
		asked[id] = true
		for again := time.After(300 * time.Millisecond); again != nil && (!replied || !published); {
			select {
			case m := <-k.incoming:
				ours := m.err == nil && asked[m.Parent.MsgID]
				replied = replied || ours && m.channel == "shell"
				published = published || ours && m.channel == "iopub"
			case <-again:
				again = nil
			case <-k.ctx.Done():
				return k.death(nil)
			case <-ctx.Done():
				return k.death(context.Cause(ctx))
			}
		}
	}
	return nil
}

func (k *kernel) send(socket zmq4.Socket, msgType string, content any) (id string, err error) {
	id, frames, err := k.frames(msgType, content)
	if err != nil {
		return "", err
	}
	return id, socket.SendMulti(zmq4.NewMsgFrom(frames...))
}

// execute sends the code of a cell and returns the id that all messages about it carry.
func (k *kernel) execute(code string) (id string, err error) {
	return k.send(k.shell, "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": true, "allow_stdin": false,
		"stop_on_error": true, "user_expressions": map[string]any{},
	})
}

// readsInput names the thread of a cell that waits for standard input, "" where none is known to.
func (k *kernel) readsInput() string { return readsInput(k.process.pid()) }

// died is closed when the kernel has ended.
func (k *kernel) died() <-chan struct{} { return k.ctx.Done() }

// death describes a kernel that ended, or that failed for the given cause, with the part of its log that tells most.
func (k *kernel) death(cause error) error {
	if cause == nil {
		cause = errors.New("the kernel process ended")
	}
	data, _ := os.ReadFile(k.logPath())
	tail := nb.StripANSI(string(data))
	if i := strings.LastIndex(tail, "\npanic: "); i >= 0 {
		tail = tail[i+1:]
		tail = tail[:min(len(tail), logTail)]
	} else if len(tail) > logTail {
		tail = tail[len(tail)-logTail:]
	}
	if tail = strings.TrimSpace(tail); tail == "" {
		return cause
	}
	return fmt.Errorf("%w; from its log:\n%s", cause, tail)
}

// close asks the kernel to end, kills what is left of its group, and removes the temporary folder.
func (k *kernel) close() {
	if k.process != nil {
		if k.control != nil {
			go k.send(k.control, "shutdown_request", map[string]any{"restart": false})
			select {
			case <-k.process.exited:
			case <-time.After(shutdownTimeout):
			}
		}
		k.process.kill()
	}
	k.cancel()
	for _, s := range k.sockets {
		_ = s.Close()
	}
	// A process that was just killed may still hold the folder for an instant.
	for range 20 {
		if os.RemoveAll(k.dir) == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
}
