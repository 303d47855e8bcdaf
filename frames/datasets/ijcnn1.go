package datasets

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// IJCNN1Schema is the domain of ijcnn1 (Prokhorov 2001, "IJCNN 2001 neural network competition",
// after the winner's transformation by Chang and Lin; LIBSVM data): 22 features and the label with
// the classes −1 and 1. No bound is published: [−1, 1] is a round choice of ours, clamped.
func IJCNN1Schema() frames.Schema {
	s, err := frames.LibSVMSchema(frames.LibSVMDomain{Features: 22, Lo: -1, Hi: 1, Clamp: true, Labels: []string{"-1", "1"}})
	if err != nil {
		panic(err) // impossible: the domain is constant, and a test makes every schema
	}
	return s
}

// IJCNN1 returns the 141691 rows of ijcnn1: 49990 of training and validation, then 91701 of the
// test.
func IJCNN1() (*frames.Frame, string, error) {
	read := func(paths ...string) (*frames.Frame, error) {
		parts := make([]frames.Source, len(paths))
		for i, path := range paths {
			f, err := frames.ReadLibSVM(path, IJCNN1Schema(), frames.LibSVMOptions{})
			if err != nil {
				return nil, err
			}
			parts[i] = f
		}
		all, err := frames.Concat(parts...)
		if err != nil {
			return nil, err
		}
		return frames.Collect(context.Background(), all)
	}
	return load("LIBSVM ijcnn1, training and test", read, "ijcnn1/ijcnn1.trn.bz2", "ijcnn1/ijcnn1.tst.bz2")
}
