package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// ready is what the gate prints when it has the ports.
const ready = "ready\n"

const (
	bindTime      = 10 * time.Second // the gate before, of a kernel that is started again, may still have the ports
	handshakeTime = 10 * time.Second
	kernelTime    = time.Minute // for the kernel to open its sockets
	watchTime     = 200 * time.Millisecond
	mostOpen      = 128 // connections at a time
)

// channel is one of a kernel's sockets.
type channel struct {
	port  int
	peers []string                    // socket types of front ends
	most  int                         // bytes of a message
	pass  func(message [][]byte) bool // whether a message may pass
}

func channels(c connection) []channel {
	dealers, signed := []string{"DEALER", "REQ", "ROUTER"}, signedWith([]byte(c.Key))
	return []channel{
		{c.Shell, dealers, mostSigned, signed},
		{c.Control, dealers, mostSigned, signed},
		{c.Stdin, dealers, mostSigned, signed},
		{c.IOPub, []string{"SUB", "XSUB"}, mostOther, subscription},
		{c.HB, []string{"REQ", "DEALER"}, mostOther, heartbeat},
	}
}

// serve passes on what may pass to the kernel whose sockets are in dir, until its process, the parent, ends.
func serve(file, dir string, parent int) error {
	c, _, err := readConnection(file)
	if err != nil {
		return err
	}
	open := make(chan struct{}, mostOpen)
	for _, ch := range channels(c) {
		l, err := listen(c.IP, ch.port)
		if err != nil {
			return err
		}
		go ch.accept(l, sockets(dir), open)
	}
	if _, err := os.Stdout.WriteString(ready); err != nil {
		return err
	}
	for os.Getppid() == parent {
		time.Sleep(watchTime)
	}
	_ = os.RemoveAll(dir)
	os.Exit(0)
	return nil
}

func listen(ip string, port int) (net.Listener, error) {
	if ip == "*" {
		ip = ""
	}
	for end := time.Now().Add(bindTime); ; time.Sleep(50 * time.Millisecond) {
		l, err := net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(port)))
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) {
			return l, err
		}
	}
}

func (ch channel) accept(l net.Listener, kernel string, open chan struct{}) {
	for {
		conn, err := l.Accept()
		if err != nil { // no descriptors left, for instance
			time.Sleep(50 * time.Millisecond)
			continue
		}
		select {
		case open <- struct{}{}:
			go func() {
				defer func() { <-open }()
				defer conn.Close()
				ch.serve(conn, kernel)
			}()
		default:
			_ = conn.Close()
		}
	}
}

// serve speaks to one front end. Whatever breaks the protocol ends its connection, and nothing else.
func (ch channel) serve(conn net.Conn, kernel string) {
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	in := bufio.NewReader(conn)
	id, err := greetFrontEnd(conn, in, ch.peers)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	inner, err := dial(fmt.Sprintf("%s-%d", kernel, ch.port))
	if err != nil {
		return
	}
	defer inner.Close()
	if err := greetKernel(inner, id); err != nil {
		return
	}
	go func() {
		defer conn.Close() // ends the reading below
		defer inner.Close()
		_, _ = bufio.NewReader(inner).WriteTo(conn)
	}()
	for {
		message, err := readMessage(in, ch.most)
		if err != nil {
			return
		}
		if message == nil || !ch.pass(message) {
			continue
		}
		if _, err := inner.Write(encode(message)); err != nil {
			return
		}
	}
}

// dial waits for a kernel that has just started.
func dial(path string) (net.Conn, error) {
	for end := time.Now().Add(kernelTime); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("unix", path)
		if err == nil || time.Now().After(end) {
			return conn, err
		}
	}
}
