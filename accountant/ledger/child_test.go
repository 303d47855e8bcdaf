package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childCommand re-executes the test binary in a role: "name argument …".
func childCommand(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childVar+"="+strings.Join(append([]string{role}, args...), "\n"))
	return cmd
}

func child(role string) {
	args := strings.Split(role, "\n")
	var err error
	switch args[0] {
	case "die":
		err = childDies(args[1], args[2])
	case "write":
		err = childWrites(args[1], args[2], args[3])
	case "create":
		err = childCreates(args[1])
	case "limit":
		err = childLimit(args[1])
	case "nobody":
		err = childNobody(args[1])
	default:
		err = fmt.Errorf("no role %q", args[0])
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// childDies makes one release in peace, then one in which it kills itself at point.
func childDies(path, point string) error {
	o, armed := system(), point == "created" || strings.HasSuffix(point, string(kindUpgrade))
	o.every = 4 // a checkpoint follows the second release
	last := kindCharge
	at := func(p string) {
		if armed && p == point {
			die()
		}
	}
	o.write = func(f *os.File, b []byte, off int64) (int, error) {
		var rec record
		if json.Unmarshal(b, &rec) == nil {
			last = rec.Kind
		}
		if armed && point == "in "+string(last) {
			if _, err := f.WriteAt(b[:len(b)/2], off); err != nil {
				return 0, err
			}
			die()
		}
		if armed && point == "before the newline of "+string(last) {
			if _, err := f.WriteAt(b[:len(b)-1], off); err != nil {
				return 0, err
			}
			die()
		}
		return f.WriteAt(b, off)
	}
	o.hook = func(p string) {
		if p == "written" {
			p += " " + string(last)
		}
		at(p)
	}
	l, err := open(path, o)
	if errors.Is(err, ErrMissing) {
		l, err = create(path, testConfig(), o)
	}
	if err != nil {
		return err
	}
	if _, err := l.Release(context.Background(), request("peace", 0.01), draws(`"peace"`, nil)); err != nil {
		return err
	}
	armed = true
	_, err = l.Release(context.Background(), request("death", 0.05), func(context.Context) (json.RawMessage, error) {
		fmt.Println("draw")
		at("in the draw")
		return json.RawMessage(`"death"`), nil
	})
	return errors.Join(err, errors.New("survived"))
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// childWrites releases the IDs "round/i" for all i below 60 that the budget covers, in the same order
// as its rivals, and tells each draw and each value that it got on standard output.
func childWrites(path, round, mu string) error {
	cost, err := strconv.ParseFloat(mu, 64)
	if err != nil {
		return err
	}
	o := system()
	o.every = 9 // so that many kills come while checkpoints are written and read
	l, err := open(path, o)
	if err != nil {
		return err
	}
	for i := range 60 {
		name := fmt.Sprintf("%s/%d", round, i)
		r := request(name, cost)
		r.Fresh = i%7 == 3
		rc, err := l.Release(context.Background(), r, func(context.Context) (json.RawMessage, error) {
			value := fmt.Sprintf(`"%s by %d: %x"`, name, os.Getpid(), rand.Uint64())
			say("draw", name, value)
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
			if i%11 == 5 {
				return nil, errDraw
			}
			return json.RawMessage(value), nil
		})
		switch {
		case errors.Is(err, ErrBudget):
			say("full", name, "")
			return nil
		case errors.Is(err, errDraw), errors.Is(err, ErrInterrupted):
		case err != nil:
			return err
		default:
			say("value", name, string(rc.Value))
		}
	}
	return nil
}

var errDraw = errors.New("a draw that fails")

// say writes one line with one call: a pipe takes it whole or not at all.
func say(what, name, value string) {
	_, _ = os.Stdout.WriteString(what + "\t" + name + "\t" + value + "\n")
}

// childCreates makes the ledger unless another did, makes the release that all make, and tells the key
// and the value.
func childCreates(path string) error {
	l, err := OpenOrCreate(path, testConfig())
	if err != nil {
		return err
	}
	key, err := l.Key()
	if err != nil {
		return err
	}
	rc, err := l.Release(context.Background(), request("all", 0.05), draws(strconv.Itoa(os.Getpid()), nil))
	if err != nil {
		return err
	}
	fmt.Printf("%x %s\n", key, rc.Value)
	return nil
}

// childLimit fills its file up to a limit on the size and tells what it gets.
func childLimit(path string) error {
	signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit then fails with EFBIG
	l, err := Open(path)
	if err != nil {
		return err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	limit := uint64(fi.Size()) + 2000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	for i := range 20 {
		name := fmt.Sprint(i)
		rc, err := l.Release(context.Background(), request(name, 0.01), func(context.Context) (json.RawMessage, error) {
			say("draw", name, "")
			return json.Marshal(strings.Repeat("secret", 60))
		})
		if err != nil {
			say("error", name, err.Error())
			return nil
		}
		say("value", name, string(rc.Value))
	}
	return errors.New("the limit was not met")
}

// childNobody opens path as a user without rights to it.
func childNobody(path string) error {
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
	}
	_, err := Open(path)
	say("open", "", fmt.Sprint(err))
	_, err = OpenOrCreate(path, testConfig())
	say("open or create", "", fmt.Sprint(err))
	_, err = Create(path+".new", testConfig())
	say("create", "", fmt.Sprint(err))
	return nil
}

// report is one line of a child.
type report struct{ what, name, value string }

func reports(t *testing.T, out []byte) []report {
	t.Helper()
	var rs []report
	for line := range bytes.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(string(line), "\n"), "\t", 3)
		if len(f) != 3 {
			t.Fatalf("a child says %q", line)
		}
		rs = append(rs, report{f[0], f[1], f[2]})
	}
	return rs
}

// killed reports whether the process ended by SIGKILL.
func killed(err error) bool {
	var e *exec.ExitError
	if !errors.As(err, &e) {
		return false
	}
	s, ok := e.Sys().(syscall.WaitStatus)
	return ok && s.Signaled() && s.Signal() == syscall.SIGKILL
}
