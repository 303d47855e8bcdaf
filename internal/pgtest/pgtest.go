package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Required is the variable of the environment that makes a missing server a failure, where tests are skipped otherwise.
const Required = "DPNB_POSTGRES"

// server is that of the process.
var server struct {
	once   sync.Once
	folder string
	run    *exec.Cmd
	err    error
}

// errNone: there is no PostgreSQL here.
var errNone = errors.New("no PostgreSQL found: apt-get install postgresql")

// DSN starts the server, once, and returns how to connect to it.
func DSN(t testing.TB) string {
	t.Helper()
	server.once.Do(func() { server.err = start() })
	switch {
	case errors.Is(server.err, errNone) && os.Getenv(Required) == "":
		t.Skip(server.err)
	case server.err != nil:
		t.Fatal(server.err)
	}
	return "host=" + server.folder + " user=owner dbname=postgres"
}

// Main runs the tests of a package and stops the server, if one of them started it.
func Main(m *testing.M) {
	code := m.Run()
	stop()
	os.Exit(code)
}

// programs is the folder of initdb and postgres.
func programs() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	slices.Reverse(found)
	for _, path := range found {
		dir := filepath.Dir(path)
		_, server := os.Stat(filepath.Join(dir, "postgres"))
		_, ready := os.Stat(filepath.Join(dir, "pg_isready")) // a link to initdb alone does not do
		if server == nil && ready == nil {
			return dir, nil
		}
	}
	return "", errNone
}

func start() error {
	bin, err := programs()
	if err != nil {
		return err
	}
	as, uid, gid, err := account()
	if err != nil {
		return err
	}
	if server.folder, err = os.MkdirTemp("", "dpnbpg"); err != nil {
		return err
	}
	if err := errors.Join(os.Chown(server.folder, uid, gid), os.Chmod(server.folder, 0o700)); err != nil {
		return err
	}
	data := filepath.Join(server.folder, "data")
	as = dies(as)
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(bin, name), args...)
		c.Dir, c.SysProcAttr, c.Env = server.folder, as, []string{"LC_ALL=C.UTF-8", "TZ=UTC"}
		return c
	}
	// A server that knows what passwords are, and takes any.
	if out, err := command("initdb", "-D", data, "-U", "owner", "--auth=trust", "--no-sync", "--no-instructions", "-E", "UTF8").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	server.run = command("postgres", "-D", data, "-k", server.folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "autovacuum=off",
		"-c", "shared_buffers=64MB", "-c", "log_min_messages=fatal", "-c", "lc_messages=C")
	log, err := os.Create(filepath.Join(server.folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	server.run.Stdout, server.run.Stderr = log, log
	if err := server.run.Start(); err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		said, err := command("pg_isready", "-q", "-h", server.folder, "-U", "owner", "-d", "postgres").CombinedOutput()
		if err == nil {
			return nil
		}
		if time.Since(began) > time.Minute {
			more, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the server does not answer: %w: %s%s", err, said, more)
		}
	}
}

// stop ends the server at once and removes its folder.
func stop() {
	if server.run != nil && server.run.Process != nil {
		_ = server.run.Process.Signal(syscall.SIGQUIT)
		_ = server.run.Wait()
	}
	if server.folder != "" {
		_ = os.RemoveAll(server.folder)
	}
}
