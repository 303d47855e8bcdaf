package steps

import "fmt"

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}
