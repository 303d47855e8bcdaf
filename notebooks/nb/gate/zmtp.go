package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

// The ZeroMQ Message Transport Protocol 3.0, https://rfc.zeromq.org/spec/23/, as far as kernels and front ends speak it: without
// encryption, and with no commands after the handshake.

const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4

	greetingSize = 64
	mostReady    = 1 << 10 // bytes of the command READY
)

var errProtocol = errors.New("not ZMTP 3.0 of a front end")

// greeting is ours: the version is 3.0, so that a newer peer keeps to it, and the mechanism NULL.
var greeting = func() (g [greetingSize]byte) {
	g[0], g[8], g[9], g[10] = 0xff, 1, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}()

// peer is what the other side says of itself.
type peer struct{ socket, identity string }

// greetFrontEnd says what a listening socket says first, and reads the answer. That the kernel is ready its own command says later.
func greetFrontEnd(out io.Writer, in io.Reader, sockets []string) (p peer, err error) {
	if _, err := out.Write(greeting[:]); err != nil {
		return p, err
	}
	var g [greetingSize]byte
	if _, err := io.ReadFull(in, g[:]); err != nil {
		return p, err
	}
	if g[0] != 0xff || g[9] != 0x7f || g[10] < 3 || string(bytes.TrimRight(g[12:32], "\x00")) != "NULL" || g[32] != 0 {
		return p, errProtocol
	}
	flags, body, err := readFrame(in, mostReady)
	if err != nil {
		return p, err
	}
	if flags&^flagLong != flagCommand {
		return p, errProtocol
	}
	if p, err = parseReady(body); err == nil && !slices.Contains(sockets, p.socket) {
		err = errProtocol
	}
	return p, err
}

// greetKernel introduces the front end to the kernel, whose greeting it takes off.
func greetKernel(kernel io.ReadWriter, p peer) error {
	if _, err := kernel.Write(append(greeting[:len(greeting):len(greeting)], ready30(p)...)); err != nil {
		return err
	}
	_, err := io.ReadFull(kernel, make([]byte, greetingSize))
	return err
}

// ready30 is the command READY.
func ready30(p peer) []byte {
	body := []byte("\x05READY")
	for _, property := range [][2]string{{"Socket-Type", p.socket}, {"Identity", p.identity}} {
		body = append(append(body, byte(len(property[0]))), property[0]...)
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(property[1]))), property[1]...)
	}
	return appendFrame(nil, flagCommand, body)
}

// parseReady reads the command READY: its name, and properties of a name and a value each.
func parseReady(body []byte) (p peer, err error) {
	rest, ok := bytes.CutPrefix(body, []byte("\x05READY"))
	if !ok {
		return p, errProtocol
	}
	for len(rest) > 0 {
		n := int(rest[0])
		if n == 0 || len(rest) < 1+n+4 {
			return p, errProtocol
		}
		name, size := string(rest[1:1+n]), binary.BigEndian.Uint32(rest[1+n:])
		if rest = rest[1+n+4:]; uint64(size) > uint64(len(rest)) {
			return p, errProtocol
		}
		value := string(rest[:size])
		rest = rest[size:]
		switch strings.ToLower(name) {
		case "socket-type":
			p.socket = value
		case "identity":
			if p.identity = value; len(value) > 255 {
				return p, errProtocol
			}
		}
	}
	return p, nil
}

// readFrame reads a frame of at most so many bytes. Memory is taken as bytes come, and not as a length says.
func readFrame(in io.Reader, most int) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(in, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	size := uint64(head[1])
	if flags&flagLong != 0 {
		if _, err := io.ReadFull(in, head[2:]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(head[1:])
	}
	if flags&^(flagMore|flagLong|flagCommand) != 0 || size > uint64(most) {
		return 0, nil, errProtocol
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, in, int64(size)); err != nil {
		return 0, nil, err
	}
	return flags, b.Bytes(), nil
}

// readMessage reads the frames of a message; nil for a command.
func readMessage(in io.Reader, most int) (message [][]byte, err error) {
	for {
		flags, body, err := readFrame(in, most)
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			if flags&flagMore != 0 || len(message) > 0 {
				return nil, errProtocol
			}
			return nil, nil
		}
		message = append(message, body)
		if flags&flagMore == 0 {
			return message, nil
		}
		if most -= len(body) + frameCost; most < 0 {
			return nil, errProtocol
		}
	}
}

// frameCost is what a frame counts beside its bytes, so that empty ones end too.
const frameCost = 64

// encode makes a message of frames.
func encode(message [][]byte) (out []byte) {
	for i, frame := range message {
		flags := byte(flagMore)
		if i == len(message)-1 {
			flags = 0
		}
		out = appendFrame(out, flags, frame)
	}
	return out
}

func appendFrame(out []byte, flags byte, body []byte) []byte {
	if len(body) > 255 {
		out = binary.BigEndian.AppendUint64(append(out, flags|flagLong), uint64(len(body)))
	} else {
		out = append(out, flags, byte(len(body)))
	}
	return append(out, body...)
}
