package viz_test

import (
	"os"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/viz"
)

func ExampleGuarantee() {
	g := accountant.Guarantee{
		Budget:     accountant.Budget{Epsilon: 1, Delta: 1e-6},
		Neighbours: accountant.ReplaceOne,
		Scope:      accountant.Scope{Kind: accountant.Conditional, On: []string{"at most 12 cells are missing"}},
		Route:      "Gaussian profile",
	}
	_ = viz.Guarantee(g).To(os.Stdout)
	// Output:
	// Guarantee
	//
	// !! CONDITIONAL: this holds only between datasets that satisfy: at most 12 cells are missing
	//
	// ε           1
	// δ           1e-06
	// neighbours  replace-one
	// scope       CONDITIONAL on at most 12 cells are missing
	// route       Gaussian profile
}
