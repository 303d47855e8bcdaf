package datasets

import "github.com/dpkit-go/dpnb/frames"

// MNIST3v8 returns the 1984 test images of MNIST (LeCun, Bottou, Bengio and Haffner 1998) that show
// a 3 or an 8: 784 pixels in [0, 255], which the format of the file makes true, and the label with
// 8 as the positive class.
func MNIST3v8() (*frames.Frame, string, error) {
	read := func(paths ...string) (*frames.Frame, error) {
		return frames.ReadIDX(paths[0], paths[1], frames.IDXOptions{Labels: []uint8{3, 8}})
	}
	return load("MNIST test images, 3 against 8", read, "mnist/t10k-3v8-images-idx3-ubyte.gz", "mnist/t10k-3v8-labels-idx1-ubyte.gz")
}
