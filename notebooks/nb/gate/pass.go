package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// What may be longest.
const (
	mostSigned = 16 << 20
	mostOther  = 64 << 10
)

const delimiter = "<IDS|MSG>"

// signedWith tells messages of Jupyter's protocol that carry a key's signature: routing IDs, the delimiter, the signature and the four
// parts that are signed, then buffers (https://jupyter-client.readthedocs.io/en/stable/messaging.html).
func signedWith(key []byte) func([][]byte) bool {
	return func(m [][]byte) bool {
		for len(m) > 0 && string(m[0]) != delimiter {
			m = m[1:]
		}
		if len(m) < 6 {
			return false
		}
		signature, err := hex.DecodeString(string(m[1]))
		if err != nil {
			return false
		}
		mac := hmac.New(sha256.New, key)
		for _, part := range m[2:6] {
			mac.Write(part)
		}
		return hmac.Equal(signature, mac.Sum(nil))
	}
}

// subscription tells what a subscriber sends: one frame, 0 or 1 and a topic.
func subscription(m [][]byte) bool {
	return len(m) == 1 && len(m[0]) > 0 && len(m[0]) < 256 && m[0][0] <= 1
}

// heartbeat tells a request that is echoed: an empty frame and another.
func heartbeat(m [][]byte) bool {
	return len(m) == 2 && len(m[0]) == 0 && len(m[1]) > 0 && len(m[1]) < 256
}
