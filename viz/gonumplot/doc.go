// Package gonumplot shows plots of [gonum/plot] in notebooks, and gives it released values with their error bars: for a picture
// that package viz does not have.
//
// [New] is a plot in the look of package viz, [Released] makes points of released numbers, and [Show] displays the plot in the
// cell, or prints its words elsewhere. [WriteFile] keeps it.
//
// It guarantees that a plot that [New] or [Note] was told of a released value says, in its title, what that value's release
// promises, on the screen and in every file; gonum/plot's own Save keeps it too. A value that is not private is named as such, in
// red. What is drawn beside is up to the caller: this package sees the points that it is given, and no others.
//
// It is a package of its own because gonum/plot brings fonts and formats that other cells need not compile.
//
// [gonum/plot]: https://pkg.go.dev/gonum.org/v1/plot
package gonumplot
