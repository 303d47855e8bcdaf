// Package gonb sends displays to the kernel of a GoNB cell. It links nothing of GoNB, which would make every cell slower to build.
package gonb
