package local_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/local"
)

// Each person's device randomises an answer; the collector sees lines of JSON.
func Example() {
	scheme, err := local.New(local.Direct, 2, "cat", "dog", "fish")
	if err != nil {
		log.Fatal(err)
	}
	answers := strings.Repeat("cat\ncat\ndog\nfish\n", 5000)
	client, err := local.DemoClient(scheme, 1) // NewClient outside of lessons
	if err != nil {
		log.Fatal(err)
	}
	var reports bytes.Buffer
	if err := client.Stream(context.Background(), strings.NewReader(answers), &reports); err != nil {
		log.Fatal(err)
	}
	aggregator, err := local.NewAggregator(scheme)
	if err != nil {
		log.Fatal(err)
	}
	if err := aggregator.Stream(context.Background(), &reports); err != nil {
		log.Fatal(err)
	}
	shares, err := aggregator.Frequencies(0.95)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(shares)
	fmt.Println(scheme.Event())
	// Output:
	// answer  share   interval
	// cat     0.5026  [0.4924, 0.5128]
	// dog     0.2436  [0.2346, 0.2528]
	// fish    0.2538  [0.2447, 0.2630]
	// RandomizedResponse(3 answers, epsilon 2, replace-one)
}
