package datasets_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func ExampleSyntheticAdult() {
	f, err := datasets.SyntheticAdult(1000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := frames.Public(f) // synthetic rows belong to nobody
	fmt.Println(p.Rows(), len(p.Names()), p.Names()[:3])
	// Output: 1000 13 [age workclass education-num]
}
