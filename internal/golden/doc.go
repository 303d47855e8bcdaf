// Package golden reads the golden files of testdata/golden for the tests that check them: one flag for a file in place of the committed
// ones, numbers in the forms that the files write, strict decoding, and comparisons to a tolerance. See testdata/README.md.
package golden
