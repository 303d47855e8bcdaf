package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// killsVar raises the number of kills in TestCrashAtRandomTimes.
const killsVar = "DPNB_LEDGER_KILLS"

func killsWanted(t *testing.T) int {
	t.Helper()
	if s := os.Getenv(killsVar); s != "" {
		n, err := strconv.Atoi(s)
		must(t, err)
		return n
	}
	return 40
}

// Four processes release the same IDs and are killed at a random time, round after round. The ledger
// belongs to a project, which has to count at least as much.
func TestCrashAtRandomTimes(t *testing.T) {
	dir, project, c := project(t)
	path := filepath.Join(dir, "child.ledger")
	mustCreate(t, path, c)
	var seen []report
	kills, want := 0, killsWanted(t)
	// It goes on until a kill came between a charge and its value too, which on a busy machine takes more of them.
	for round, cut := 0, false; kills < want || !cut; round++ {
		if round > 10+10*want {
			t.Fatalf("%d processes were killed in %d rounds: the test hits nothing", kills, round)
		}
		rs, k := killWriters(t, path, fmt.Sprint(round), 0.001)
		seen = append(seen, rs...)
		kills += k
		verify(t, path, seen)
		verifyProject(t, path, project.path)
		cut = slices.ContainsFunc(mustEntries(t, mustOpen(t, path)), func(e Entry) bool { return e.State != Stored })
	}
	// What the survivors find: values replay, interrupted releases say so.
	l := mustOpen(t, path)
	replayed, interrupted := 0, 0
	for _, e := range mustEntries(t, l) {
		_, err := l.Release(t.Context(), Request{ID: e.ID, Event: gauss{mu: e.Mu}, Guarantee: e.Guarantee}, draws(`0`, nil))
		switch {
		case err == nil:
			replayed++
		case errors.Is(err, ErrInterrupted) && e.State != Stored:
			interrupted++
		default:
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	if replayed == 0 || interrupted == 0 {
		t.Errorf("%d replays and %d interruptions: the test hits nothing", replayed, interrupted)
	}
	t.Logf("%d kills, %d replays, %d charges without a value", kills, replayed, interrupted)
}

// The same with a budget for 32 releases: it is used up exactly, crashes or not.
func TestCrashBudgetIsExact(t *testing.T) {
	path := tempPath(t)
	mustCreate(t, path, testConfig())
	star, err := calibrate(testConfig())
	must(t, err)
	mu := star / 8 // 64 of them; exact
	var seen []report
	full := false
	for round := 0; !full; round++ {
		if round == 400 { // on a busy machine a round charges little
			t.Fatal("the budget is not used up after 400 rounds")
		}
		rs, _ := killWriters(t, path, fmt.Sprint(round), mu)
		for _, r := range rs {
			full = full || r.what == "full"
		}
		seen = append(seen, rs...)
		verify(t, path, seen)
	}
	if n := len(mustEntries(t, mustOpen(t, path))); n != 64 {
		t.Errorf("%d charges of μ*/8, want 64", n)
	}
}

// killWriters runs four writers and kills them all soon after the first of them speaks.
func killWriters(t *testing.T, path, round string, mu float64) (rs []report, kills int) {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	var cmds []*exec.Cmd
	for range 4 {
		cmd := childCommand(t, "write", path, round, strconv.FormatFloat(mu, 'g', -1, 64))
		cmd.Stdout, cmd.Stderr = w, os.Stderr
		must(t, cmd.Start())
		cmds = append(cmds, cmd)
	}
	must(t, w.Close())
	in := bufio.NewReader(r)
	first, err := in.ReadString('\n')
	must(t, err)
	rest := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(in)
		rest <- b
	}()
	time.Sleep(time.Duration(rand.IntN(40000)) * time.Microsecond)
	for _, cmd := range cmds {
		_ = cmd.Process.Kill() // one that has ended is fine
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); killed(err) {
			kills++
		} else if err != nil {
			t.Errorf("a writer ended by %v", err)
		}
	}
	return reports(t, append([]byte(first), <-rest...)), kills
}

// verifyProject holds the project's file against that of its dataset: each charge here stands there, once
// or, after a crash between the two, more often.
func verifyProject(t *testing.T, path, project string) {
	t.Helper()
	there := map[string]int{}
	p := mustOpen(t, project)
	defer p.Close()
	for _, e := range mustEntries(t, p) {
		there[e.ID]++
	}
	l := mustOpen(t, path)
	defer l.Close()
	for _, e := range mustEntries(t, l) {
		if there[e.ID]--; there[e.ID] < 0 {
			t.Errorf("%s was charged here more often than to the project", e.Name)
		}
	}
	if !p.hist.filter.holds() {
		t.Error("the project's budget is exceeded")
	}
}

// verify holds the file against all that the writers saw.
func verify(t *testing.T, path string, seen []report) {
	t.Helper()
	l, err := Open(path) // the chain verifies
	must(t, err)
	defer l.Close()
	charges, once, values := map[string]int{}, map[string]int{}, map[string]string{}
	if _, err := bothWays(t, []byte(readText(t, path)), keyAt(t, path)); err != nil {
		t.Error(err)
	}
	must(t, l.expand())
	for _, e := range l.hist.entries {
		charges[e.Name]++
		if !e.Fresh {
			once[e.Name]++
		}
		if e.State == Stored {
			v, err := l.hist.value(l.file, e)
			must(t, err)
			values[string(v)] = e.Name
		}
	}
	draws, got := map[string]int{}, map[string]string{}
	for _, r := range seen {
		switch r.what {
		case "draw":
			draws[r.name]++
		case "value":
			if values[r.value] != r.name {
				t.Errorf("%s gave %s, which is not stored", r.name, r.value)
			}
			if once[r.name] > 0 && got[r.name] != "" && got[r.name] != r.value {
				t.Errorf("%s gave %s and %s", r.name, got[r.name], r.value)
			}
			got[r.name] = r.value
		case "full":
		default:
			t.Fatalf("a writer says %s %s %s", r.what, r.name, r.value)
		}
	}
	for name, n := range draws {
		if n > charges[name] {
			t.Errorf("%s was drawn %d times and charged %d times", name, n, charges[name])
		}
	}
	for name, n := range once {
		if n > 1 {
			t.Errorf("%s was charged %d times without Fresh", name, n)
		}
	}
	if l.hist.filter.sum.Cmp(l.hist.filter.muStar2) > 0 {
		t.Error("the budget is exceeded")
	}
	if s := mustStatus(t, l); strings.Contains(fmt.Sprint(s), "NaN") || len(s.Warnings) > 0 {
		t.Errorf("status\n%v", s) // the state folder never knows of a charge that the file does not hold
	}
}
