// Command twonodes trains a linear model on two nodes that exchange private gradients alone, on ijcnn1 (or made-up rows where
// DPNB_DATA is not set). The nodes are goroutines, or with -processes two processes that speak JSON lines over their standard
// input and output. With -ledgers each node charges a ledger of its own; a second run then replays, at no cost.
//
//	DPNB_DATA=… go run ./notebooks/studies/relativegaussian/cmd/twonodes -processes -ledgers /tmp/nodes -split label
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/dpkit-go/dpnb/dpkit/federated"
	"github.com/dpkit-go/dpnb/notebooks/studies/relativegaussian"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "twonodes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var p relativegaussian.Program
	flags := flag.NewFlagSet("twonodes", flag.ContinueOnError)
	split := flags.String("split", "random", "how the rows are shared: random, label or bias")
	noise := flags.String("noise", "relative", "noise on gradients: relative or clipped")
	flags.Float64Var(&p.Epsilon, "epsilon", 1, "ε of every node, all rounds together")
	flags.Float64Var(&p.Delta, "delta", 1e-6, "δ of every node")
	flags.IntVar(&p.Rounds, "rounds", 40, "rounds")
	flags.Float64Var(&p.Clip, "clip", 0.5, "bound on a row's gradient with -noise clipped, in units of what a row has at most at the start")
	flags.StringVar(&p.Ledgers, "ledgers", "", "folder for the nodes' ledgers; none: a demonstration that protects nobody")
	flags.Uint64Var(&p.Seed, "seed", 1, "of the split, and of a demonstration's noise")
	flags.IntVar(&p.Rows, "rows", 0, "rows to use, 0 for all")
	processes := flags.Bool("processes", false, "nodes are processes of their own")
	node := flags.Int("node", -1, "be this node, over standard input and output")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p.Split, p.Noise = relativegaussian.Split(*split), federated.GradientNoise(*noise)
	if *node >= 0 {
		_, err := p.Node(ctx, *node, federated.Stream(standard{os.Stdin, os.Stdout}))
		return err
	}
	if p.Ledgers != "" {
		if err := os.MkdirAll(p.Ledgers, 0o700); err != nil {
			return err
		}
	}
	if *processes {
		return apart(ctx, p, args, out)
	}
	r, err := p.Run(ctx)
	if err != nil {
		return err
	}
	for k, n := range r.Results {
		fmt.Fprintf(out, "node %d: %d rows, %v, %v\n", k+1, n.Value.Facts.Rows, n.Cost.Guarantee, n)
	}
	fmt.Fprintf(out, "%s, split by %s, %s noise, %d rounds at τ = %.3g: RMSE %.4f; least squares on all rows %.4f\n", r.Data, p.Split, p.Noise, p.Rounds, r.Outcome.Step, r.RMSE, r.Best)
	return nil
}

// apart starts a process for each node.
func apart(ctx context.Context, p relativegaussian.Program, args []string, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var links []federated.Link
	var nodes []*exec.Cmd
	for k := range 2 {
		c := exec.CommandContext(ctx, self, append([]string{fmt.Sprintf("-node=%d", k)}, args...)...)
		c.Stderr = os.Stderr
		in, err := c.StdinPipe()
		if err != nil {
			return err
		}
		answers, err := c.StdoutPipe()
		if err != nil {
			return err
		}
		if err := c.Start(); err != nil {
			return err
		}
		links, nodes = append(links, federated.Stream(connection{answers, in})), append(nodes, c)
	}
	result, err := p.Train(ctx, links)
	for i, c := range nodes {
		if err != nil {
			cancel() // a node that does not listen any more
		}
		err = errors.Join(err, c.Wait())
		_ = links[i].Close()
	}
	if err != nil {
		return err
	}
	for k, f := range result.Facts {
		fmt.Fprintf(out, "node %d, process %d: %d rows, γ = %.3g\n", k+1, nodes[k].Process.Pid, f.Rows, f.Gamma)
	}
	fmt.Fprintf(out, "%d rounds at τ = %.3g; θ = %.3g\n", p.Rounds, result.Step, result.Theta)
	return nil
}

// standard joins a process's input and output.
type standard struct {
	io.Reader
	io.Writer
}

func (standard) Close() error { return os.Stdin.Close() }

// connection joins the pipes of a child.
type connection struct {
	io.Reader
	io.WriteCloser
}
