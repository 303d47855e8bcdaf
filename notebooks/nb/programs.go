package nb

import (
	"embed"
	"io/fs"
)

//go:embed cellgo/main.go cellgo/tie.go cellgo/hint.go cellgo/build.go cellgo/settings.go cellgo/record.go cellgo/local.go cellgo/snapshot.go cellgo/bundled.go cellgo/env.go cellgo/others.go
//go:embed cellgo/replace_unix.go cellgo/replace_other.go cellgo/changed_linux.go cellgo/changed_darwin.go cellgo/changed_other.go cellgo/owned_unix.go cellgo/owned_other.go
//go:embed gomod/doc.go gomod/file.go gomod/zero.go
//go:embed prebuilt/doc.go prebuilt/build.go prebuilt/program.go
//go:embed gate/main.go gate/serve.go gate/zmtp.go gate/pass.go gate/exec_unix.go gate/exec_other.go
var programs embed.FS

// Programs holds the sources of the programs that stand around a kernel, each in a folder of its name: cellgo builds cells, gate keeps
// from the kernel what is not signed. The folders gomod and prebuilt are packages that cellgo imports. They are carried, since the module of a
// notebook need not require this one, and have no other dependencies. Package kernel builds them.
func Programs() fs.FS { return programs }
