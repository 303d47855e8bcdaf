package stage

import (
	"reflect"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// Register makes a step of another module known, for dpkit.Pipeline.With: a release is told apart by the name of the kind, the
// version of its law and every field of T, and a stored plan is read back from them (dpkit.Parse). T is a struct of exported
// parameters: numbers, strings, booleans, and slices and structs of such; an empty list is none, and −0 is 0. Call it in an init
// function.
//
// The name begins with the path of the module that the step is in, such as "example.com/module/maxabs". Raise law whenever the
// same parameters come to give other rows: a release that was stored under the law of before is then drawn, and charged, anew.
// It must not change otherwise. A name or a type that is taken is an error that wraps [kind.ErrParameter].
func Register[T Preprocessor](name string, law int) error {
	return kind.RegisterKind(reflect.TypeFor[T](), name, law)
}
