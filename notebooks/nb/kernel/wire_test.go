package kernel

import (
	"bytes"
	"errors"
	"testing"
)

func TestWire(t *testing.T) {
	s := &signer{key: []byte("key"), session: "session"}
	id, frames, err := s.frames("execute_request", map[string]any{"code": "x"})
	if err != nil {
		t.Fatal(err)
	}
	routed := append([][]byte{[]byte("a"), []byte("b")}, append(frames, []byte("buffer"))...)
	m, err := s.parse(routed)
	if err != nil || m.Header.MsgID != id || m.Header.Type != "execute_request" || string(m.Content) != `{"code":"x"}` {
		t.Errorf("got %+v, %v", m, err)
	}
	for i, name := range []string{"", "signature", "header", "parent", "metadata", "content"} {
		if i == 0 {
			continue
		}
		t.Run("forged "+name, func(t *testing.T) {
			forged := make([][]byte, len(frames))
			for j := range frames {
				forged[j] = bytes.Clone(frames[j])
			}
			forged[i][0] ^= 1
			if _, err := s.parse(forged); !errors.Is(err, errSignature) {
				t.Errorf("got %v, want errSignature", err)
			}
		})
	}
	if _, err := (&signer{key: []byte("other")}).parse(frames); !errors.Is(err, errSignature) {
		t.Errorf("another key: got %v, want errSignature", err)
	}
	if _, err := s.parse(frames[1:]); err == nil {
		t.Error("a message without a delimiter was accepted")
	}
	if _, err := s.parse(frames[:5]); err == nil {
		t.Error("a message without content was accepted")
	}
}

// The signature of a fixed message, computed with OpenSSL:
// printf '%s' '{"a":1}{}{}{"b":2}' | openssl dgst -sha256 -hmac key
func TestSignatureGolden(t *testing.T) {
	s := &signer{key: []byte("key")}
	got := string(s.sign([][]byte{[]byte(`{"a":1}`), []byte("{}"), []byte("{}"), []byte(`{"b":2}`)}))
	if want := "0206f42f4ae2a48f6054ab91271f90c100f7022f55fb1f23de6377624d533752"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
