package nb_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// A notebook is read, cleaned of its outputs, and written.
func Example() {
	n, err := nb.Read(strings.NewReader(`{
 "cells": [
  {"cell_type": "code", "id": "a", "execution_count": 3, "metadata": {}, "source": ["%%\n", "fmt.Println(6 * 7)"],
   "outputs": [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}]}
 ],
 "metadata": {"kernelspec": {"name": "gonb", "language": "go", "display_name": "Go (gonb)"}},
 "nbformat": 4, "nbformat_minor": 5
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n.Language(), len(n.Cells), n.Cells[0].ExecutionCount)
	fmt.Println("changed:", n.Clean(true), "outputs:", len(n.Cells[0].Outputs))
	if err := n.Write(io.Discard); err != nil {
		fmt.Println(err)
	}
	// Output:
	// go 1 3
	// changed: true outputs: 0
}
