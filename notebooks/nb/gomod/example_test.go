package gomod_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/gomod"
)

// A project at version 2, with a module in the folder beside its own.
func ExampleFile_Edits() {
	project, err := gomod.Parse([]byte(`{
		"Module": {"Path": "example.org/project/v2"},
		"Require": [{"Path": "example.org/beside", "Version": "v1.0.0"}],
		"Replace": [{"Old": {"Path": "example.org/beside"}, "New": {"Path": "../beside"}}]
	}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(project.Names("example.org/beside"), project.Names("example.org/other"))
	fmt.Println("go mod edit", strings.Join(project.Edits("/home/ada/project"), " \\\n\t"))
	// Output:
	// true false
	// go mod edit -module=nb \
	// 	-require=example.org/project/v2@v2.0.0 \
	// 	-replace=example.org/project/v2=/home/ada/project \
	// 	-replace=example.org/beside=/home/ada/beside
}
