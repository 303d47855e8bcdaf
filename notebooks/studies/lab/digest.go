package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Digest is the SHA-256 of a file below DPNB_DATA, in hexadecimal digits; file has slashes.
func Digest(file string) (string, error) {
	f, err := os.Open(filepath.Join(os.Getenv("DPNB_DATA"), filepath.FromSlash(file)))
	if err != nil {
		return "", fmt.Errorf("lab: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("lab: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
