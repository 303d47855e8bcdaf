package kernel

import "testing"

func TestDeclarations(t *testing.T) {
	for _, tc := range []struct{ name, source, want string }{
		{"declarations", "import \"fmt\"\nvar x = 1", "import \"fmt\"\nvar x = 1"},
		{"above %%", "var x = 1\n%%\nprintln(x)", "var x = 1"},
		{"only statements", "%%\nprintln(1)", ""},
		{"settings", "%env A=B\n%goflags -x\n%%\nprintln(1)", "%env A=B\n%goflags -x"},
		{"shell lines", "!rm data.csv\n!*go get x \\\n  y\n! ls", "!*go get x \\\n  y"},
		{"a test", "%test\nfunc TestX(t *testing.T) {}", "func TestX(t *testing.T) {}"},
		{"%exec", "%exec f\nfunc f() {}", "func f() {}"},
		{"main written out", "func f() {}\nfunc main() { f() }\nfunc g() {}", "func f() {}\n                   \nfunc g() {}"},
		{"a script", "%%bash\nrm x", ""},
		{"a file", "%%writefile x\nvar y = 1", ""},
		{"a continued %%", "var x = 1\n%% \\\n -v\nprintln(x)", "var x = 1"},
		{"what the kernel drops", "package x\nvar y = 1", "var y = 1"},
		{"empty", "", ""},
	} {
		if got := declarations(tc.source); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
