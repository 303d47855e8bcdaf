// Package fresh is memory for large tables. What make returns was cleared by one goroutine: 160 MB take it 10 to 25 ms, and where the system has not
// handed out that memory yet some 40 000 page faults besides, which are dear in virtual machines. Here all processors clear a part, and large pages make
// the faults few.
package fresh
