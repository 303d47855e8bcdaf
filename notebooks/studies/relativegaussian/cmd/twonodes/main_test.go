package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test's own binary be the program that it starts as nodes.
func TestMain(m *testing.M) {
	if os.Getenv("TWONODES_TEST_NODE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestProcesses: two processes that exchange JSON lines find the model that two goroutines find, on ledgers; the second
// training replays.
func TestProcesses(t *testing.T) {
	t.Setenv("TWONODES_TEST_NODE", "1")
	t.Setenv("DPNB_DATA", "")
	dir := t.TempDir()
	args := []string{"-rounds=3", "-ledgers=" + dir, "-split=label", "-rows=20000", "-noise=clipped"}
	var first, again, within bytes.Buffer
	if err := run(context.Background(), append(args, "-processes"), &first); err != nil {
		t.Fatal(err)
	}
	if err := run(context.Background(), append(args, "-processes"), &again); err != nil {
		t.Fatal(err)
	}
	last := func(b bytes.Buffer) string {
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		return lines[len(lines)-1]
	}
	if last(first) != last(again) || !strings.Contains(last(first), "θ = ") {
		t.Errorf("the second training did not replay:\n%s\n%s", first.String(), again.String())
	}
	if err := run(context.Background(), args, &within); err != nil {
		t.Fatal(err)
	}
	if text := within.String(); strings.Count(text, "replayed") != 2 {
		t.Errorf("goroutines did not replay what processes released:\n%s", text)
	}
}

func TestBadUse(t *testing.T) {
	t.Setenv("DPNB_DATA", "")
	t.Setenv("TWONODES_TEST_NODE", "1")
	for _, args := range [][]string{
		{"-split=other", "-rows=2000"},
		{"-noise=other", "-rows=2000"},
		{"-epsilon=0", "-rows=2000"},
		{"-rounds=0", "-rows=2000"},
		{"-node=2", "-rows=2000"},
		{"-processes", "-noise=other", "-rows=2000"},
		{"-nonsense"},
	} {
		if err := run(context.Background(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
