package ledger

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// Ledgers of version 1, with the key in the file and beside it, open, replay and go on; what stood in them stays.
func TestUpgrade(t *testing.T) {
	for _, name := range []string{"version1.ledger", "version1-stated.ledger"} {
		t.Run(name, func(t *testing.T) {
			old := readText(t, filepath.Join("testdata", name))
			ownState(t)
			path := tempPath(t)
			writeLedger(t, path, []byte(old))
			l, err := open(path, often(3))
			must(t, err)
			before := mustStatus(t, l)
			if rc := mustRelease(t, l, request("mean", 0.05), `0`); !rc.Replayed {
				t.Error("a release of before is drawn again")
			}
			if readText(t, path) != old {
				t.Error("a replay changed the file")
			}
			for i, r := range []Request{request("next", 0.01), request("one more", 0.01)} {
				rc := mustRelease(t, l, r, `1`)
				if rc.Status.Releases != before.Releases+i+1 || rc.Status.Spent.Epsilon <= before.Spent.Epsilon || rc.Status.Unit != PerRow {
					t.Errorf("after a release: %v", rc.Status)
				}
			}
			now := readText(t, path)
			if !strings.HasPrefix(now, old) || strings.Count(now, `"kind":"upgrade","payload":{"version":2,"unit":"row"`) != 1 {
				t.Errorf("the file holds\n%s", now)
			}
			inFile := bytes.Contains([]byte(old), []byte(`"key":`))
			if strings.Contains(now, `"key_hash":"`) != inFile || strings.Contains(now, `"kind":"checkpoint"`) != inFile { // else the key's file is missing here
				t.Errorf("the file holds\n%s", now)
			}
			again := mustOpen(t, path)
			if len(again.hist.slots) > 0 != inFile {
				t.Errorf("%d charges by a checkpoint", len(again.hist.slots))
			}
			if s := mustStatus(t, again); s.Releases != before.Releases+2 || len(s.Warnings) > 0 {
				t.Errorf("status\n%v", s)
			}
			for _, name := range []string{"mean", "next"} {
				if rc := mustRelease(t, again, request(name, 0.01), `0`); !rc.Replayed {
					t.Errorf("%s is drawn again", name)
				}
			}
		})
	}
}

// Records of version 2 before an upgrade, and headers with fields of another version, are damage.
func TestForgedVersions(t *testing.T) {
	id := func() charge {
		return charge{ID: request("x", 0).ID, Event: "e", Mu: 0.01, Guarantee: fileOf(request("x", 0).Guarantee)}
	}
	with := func(edit func(*charge)) charge { c := id(); edit(&c); return c }
	up := upgrade{Version: 2, Unit: "row"}
	bound := &binding{Rows: 60, Columns: map[string]string{"age": strings.Repeat("a", 64)}}
	type line struct {
		k       kind
		payload any
	}
	charged := func(edit func(*charge)) line { return line{kindCharge, with(edit)} }
	upgraded := line{kindUpgrade, up}
	for name, c := range map[string]struct {
		lines []line
		good  bool
	}{
		"an upgrade":                   {[]line{upgraded}, true},
		"pure":                         {[]line{upgraded, charged(func(c *charge) { c.Mu, c.Pure = 0, 0.1 })}, true},
		"bound":                        {[]line{upgraded, charged(func(c *charge) { c.Binds = bound })}, true},
		"a part of a split":            {[]line{upgraded, charged(func(c *charge) { c.Split, c.Part = "holdout", "train" })}, true},
		"a checkpoint of another form": {[]line{upgraded, {kindCheckpoint, map[string]int{"later": 1}}}, true},
		"two upgrades":                 {[]line{upgraded, upgraded}, false},
		"an upgrade to version 1":      {[]line{{kindUpgrade, upgrade{Version: 1, Unit: "row"}}}, false},
		"an upgrade to version 3":      {[]line{{kindUpgrade, upgrade{Version: 3, Unit: "row"}}}, false},
		"an upgrade to people":         {[]line{{kindUpgrade, upgrade{Version: 2, Unit: "person"}}}, false},
		"an upgrade without a unit":    {[]line{{kindUpgrade, upgrade{Version: 2}}}, false},
		"a hash that is none":          {[]line{{kindUpgrade, upgrade{Version: 2, Unit: "row", KeyHash: "x"}}}, false},
		"pure in version 1":            {[]line{charged(func(c *charge) { c.Mu, c.Pure = 0, 0.1 })}, false},
		"bound in version 1":           {[]line{charged(func(c *charge) { c.Binds = bound })}, false},
		"a split in version 1":         {[]line{charged(func(c *charge) { c.Split = "holdout" })}, false},
		"a checkpoint in version 1":    {[]line{{kindCheckpoint, checkpoint{}}}, false},
		"pure and Gaussian":            {[]line{upgraded, charged(func(c *charge) { c.Pure = 0.1 })}, true},
		"pure below 0":                 {[]line{upgraded, charged(func(c *charge) { c.Mu, c.Pure = 0, -0.1 })}, false},
		"bound again":                  {[]line{upgraded, charged(func(c *charge) { c.Binds = bound }), charged(func(c *charge) { c.Binds = bound })}, false},
		"bound to other rows": {[]line{upgraded, charged(func(c *charge) { c.Binds = bound }), charged(func(c *charge) {
			c.Binds = &binding{Rows: 61, Columns: map[string]string{"pay": strings.Repeat("a", 64)}}
		})}, false},
		"bound to nothing": {[]line{upgraded, charged(func(c *charge) { c.Binds = &binding{Rows: 60, Columns: map[string]string{}} })}, false},
		"bound to no rows": {[]line{upgraded, charged(func(c *charge) { c.Binds = &binding{Columns: bound.Columns} })}, false},
		"bound to no hash": {[]line{upgraded, charged(func(c *charge) { c.Binds = &binding{Rows: 60, Columns: map[string]string{"age": "a"}} })}, false},
		"bound without a name": {[]line{upgraded, charged(func(c *charge) {
			c.Binds = &binding{Rows: 60, Columns: map[string]string{"": strings.Repeat("a", 64)}}
		})}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := version1(t)
			h, err := replayBytes(b)
			must(t, err)
			before, seq := h.filter.spent(), h.lines
			for _, l := range c.lines {
				line, err := newRecord(seq, h.latest, l.k, l.payload, lineHash(linesOf(b)[seq-1]))
				must(t, err)
				b, seq = append(append(b, line...), '\n'), seq+1
			}
			h, err = replayBytes(b)
			if (err == nil) != c.good {
				t.Fatalf("got %v, want it taken: %v", err, c.good)
			}
			if c.good && len(c.lines) > 1 && c.lines[1].k == kindCharge && !(h.filter.spent() > before) {
				t.Error("a charge counts for nothing")
			}
		})
	}
	l := mustCreate(t, tempPath(t), testConfig())
	good := l.hist.header
	for name, edit := range map[string]func(*header){
		"no unit":             func(h *header) { h.Config.Unit = "" },
		"an unknown unit":     func(h *header) { h.Config.Unit = "household" },
		"a key":               func(h *header) { h.Key = make([]byte, 32) },
		"the check of a key":  func(h *header) { h.KeyCheck = strings.Repeat("a", 64) },
		"no hash of a key":    func(h *header) { h.KeyHash = "" },
		"no ID":               func(h *header) { h.ID = "" },
		"all of ε pure":       func(h *header) { h.Config.Pure = h.Config.Epsilon },
		"pure below 0":        func(h *header) { h.Config.Pure = -0.1 },
		"a unit in version 1": func(h *header) { h.Version = 1 },
		"version 3":           func(h *header) { h.Version = 3 },
	} {
		h := good
		edit(&h)
		line, err := encode(h)
		must(t, err)
		_, err = replayBytes(append(line, '\n'))
		says(t, err, ErrDamaged)
		if t.Failed() {
			t.Fatalf("header with %s", name)
		}
	}
}
