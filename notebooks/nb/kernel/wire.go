package kernel

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// The Jupyter wire protocol: https://jupyter-client.readthedocs.io/en/stable/messaging.html

const delimiter = "<IDS|MSG>"

type header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is a message that came in: its signature is verified.
type message struct {
	Header  header
	Parent  header
	Content json.RawMessage
}

// signer makes and checks messages of one session.
type signer struct {
	key     []byte
	session string
}

var errSignature = errors.New("the message is not signed with the key of this session")

// frames builds a message without a parent and returns its id.
func (s *signer) frames(msgType string, content any) (id string, frames [][]byte, err error) {
	id = randomHex(16)
	head, err := json.Marshal(header{
		MsgID: id, Session: s.session, Username: "nb", Type: msgType, Version: "5.3",
		Date: time.Now().UTC().Format(time.RFC3339Nano),
	})
	if err != nil {
		return "", nil, err
	}
	body, err := json.Marshal(content)
	if err != nil {
		return "", nil, err
	}
	parts := [][]byte{head, []byte("{}"), []byte("{}"), body}
	return id, append([][]byte{[]byte(delimiter), s.sign(parts)}, parts...), nil
}

// parse checks the signature and reads a message. Frames before the delimiter are routing ids,
// frames after the content are binary buffers.
func (s *signer) parse(frames [][]byte) (message, error) {
	var m message
	for len(frames) > 0 && string(frames[0]) != delimiter {
		frames = frames[1:]
	}
	if len(frames) < 6 {
		return m, fmt.Errorf("got %d frames after the routing ids, want at least 6", len(frames))
	}
	parts := frames[2:6]
	if !hmac.Equal(frames[1], s.sign(parts)) {
		return m, errSignature
	}
	if err := json.Unmarshal(parts[0], &m.Header); err != nil {
		return m, fmt.Errorf("header: %w", err)
	}
	if err := json.Unmarshal(parts[1], &m.Parent); err != nil {
		return m, fmt.Errorf("parent header: %w", err)
	}
	m.Content = parts[3]
	return m, nil
}

func (s *signer) sign(parts [][]byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails: crypto/rand crashes the program instead
	return hex.EncodeToString(b)
}
