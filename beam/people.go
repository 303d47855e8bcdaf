package beam

import (
	"context"
	"encoding/json"

	"github.com/dpkit-go/dpnb/frames"
)

// A block of rows that were dealt begins with what it is.
const (
	ofRows   byte = iota
	ofFailed      // a part that says why a shard has none
)

// deal hands out the rows of a shard in blocks, by the buckets of their people. What no other try can help is handed out in their place.
func (t *task) deal(ctx context.Context, i int, to func(bucket int, block []byte)) error {
	p, err := part{}.ended(ctx, i, t.dealt(ctx, i, to))
	if err == nil && p.Failed != "" {
		to(0, append([]byte{ofFailed}, encode(p)...))
	}
	return err
}

func (t *task) dealt(ctx context.Context, i int, to func(bucket int, block []byte)) error {
	var schema frames.Schema
	if err := json.Unmarshal(t.Schema, &schema); err != nil {
		return err
	}
	pass, err := prepared(ctx, *t.Job)
	if err != nil {
		return err
	}
	src, end, err := t.again(ctx, i, schema)
	if err != nil {
		return err
	}
	defer end()
	return pass.Deal(ctx, src, t.Buckets, func(bucket int, block []byte) error {
		to(bucket, append([]byte{ofRows}, block...))
		return nil
	})
}

// bucket makes the part of a bucket.
func (t *task) bucket(ctx context.Context, number int, blocks func(fn func(block []byte) error) error) (p part, err error) {
	pass, err := prepared(ctx, *t.Job)
	if err != nil {
		return p.ended(ctx, number, err)
	}
	var failed part
	p.State, err = pass.AccumulateDealt(ctx, number, func(fn func([]byte) error) error {
		return blocks(func(b []byte) error {
			if len(b) > 0 && b[0] == ofRows {
				return fn(b[1:])
			}
			if len(b) == 0 {
				return ErrJob
			}
			if err := decode(b[1:], &failed); err != nil {
				return err
			}
			return failure(failed)
		})
	})
	if failed.Failed != "" {
		return failed, nil
	}
	return p.ended(ctx, number, err)
}
