// Package kernel runs the cells of Go notebooks without Jupyter and without Python.
//
// [Run] executes a notebook on GoNB, the kernel that the notebook's module pins as a Go tool: it builds the kernel once per version,
// starts it in the notebook's folder and speaks the Jupyter protocol with it, through sockets in a folder that its owner alone can
// enter. [Find] and [Build] are its first steps, for those who install the kernel elsewhere; [CellGo] and [Gate] are the programs
// around a kernel.
//
// What Run guarantees: a cell that failed is never reported as a success, failing shell lines included; outputs are those of this run
// alone; when it returns, or when the program is killed, the kernel, the processes that it and the cells started in its process group,
// and the temporary files are gone. What it does not: a process that leaves the group (setsid) is out of reach, and a cell that shows
// rich output without gonbui.Sync at its end may lose it, as in Jupyter.
package kernel
