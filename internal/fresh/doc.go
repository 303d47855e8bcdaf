// Package fresh is memory for large tables whose every cell is about to be written, by several goroutines. What make returns was cleared by one
// goroutine before: 160 MB take it 10 to 25 ms, and where the system has not handed out that memory yet some 40 000 page faults besides, which are
// dear in virtual machines. Here neither happens: cells hold whatever was there, whoever writes them takes the faults, and large pages make these few.
package fresh
