package fault

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// What callers branch on.
var (
	ErrConnect = errors.New("no connection to the database")
	ErrQuery   = errors.New("the database does not run the query")
	ErrType    = frames.ErrType
	ErrKey     = errors.New("the key does not tell rows apart")
)

// withheld is an error of a driver whose text may quote a cell of the query, or the password of the connection. It prints neither.
type withheld struct {
	text string
	of   func() error // a function hides it from printers
}

func (e *withheld) Error() string { return e.text }

// Is finds sentinels such as context.Canceled in what is withheld.
func (e *withheld) Is(target error) bool { return errors.Is(e.of(), target) }

// Withhold says what is wrong with a connection or a query without the words of a driver or server: they quote cells ("invalid input syntax
// for type integer") and connection strings. The code of the error (SQLSTATE) is shown where there is one.
func Withhold(doing string, err error) error {
	why := "run the query in a client of the database to see its words, which may quote cells"
	switch code := State(err); {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("sqlsource: %s: it was stopped: %w", doing, &withheld{"context ended", func() error { return err }})
	case Gone(err):
		return Lost(doing, err)
	case code != "":
		why = "SQLSTATE " + code + "; " + why
	}
	return fmt.Errorf("sqlsource: %s: %w: %w", doing, ErrQuery, &withheld{why, func() error { return err }})
}

// Lost says that there is no connection.
func Lost(doing string, err error) error {
	const why = "see that the server runs and takes the connection, and open the source again; what the driver says may hold the password"
	return fmt.Errorf("sqlsource: %s: %w: %w", doing, ErrConnect, &withheld{why, func() error { return err }})
}

// State is the SQLSTATE of an error, "" where the driver tells none.
func State(err error) string {
	var coded interface{ SQLState() string }
	if !errors.As(err, &coded) || len(coded.SQLState()) != 5 {
		return ""
	}
	for _, c := range coded.SQLState() {
		if !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z') {
			return ""
		}
	}
	return coded.SQLState()
}

// Gone reports a connection that is not there, or no longer.
func Gone(err error) bool {
	var network net.Error
	var operation *net.OpError
	code := State(err)
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.As(err, &network) || errors.As(err, &operation) ||
		strings.HasPrefix(code, "08") || strings.HasPrefix(code, "57P") || strings.HasPrefix(code, "28")
}

// Unread says what is wrong with a query whose rows were not read: the words of the database are of the query and the catalogue alone, unless
// it says that it computed something (a SQLSTATE of another class than 42, of syntax and names).
func Unread(err error) error {
	if code := State(err); Gone(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || code != "" && !strings.HasPrefix(code, "42") {
		return Withhold("query", err)
	}
	return fmt.Errorf("sqlsource: query: %w: %s", ErrQuery, err.Error())
}
