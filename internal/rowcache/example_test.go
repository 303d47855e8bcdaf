package rowcache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/internal/rowcache"
)

func Example() {
	folder, err := os.MkdirTemp("", "rows")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, strings.Repeat("a", 32)+rowcache.Suffix), []byte("cells"), 0o600); err != nil {
		panic(err)
	}
	fmt.Println(rowcache.Remove(folder))
	// Output: 1 5 <nil>
}
