package cli

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// writeParquet writes the table with its columns in order, texts as strings and numbers as
// doubles, null where not finite; the facts are the file's key-value metadata, one value
// a line.
func (t *table) writeParquet(w io.Writer) error {
	names := t.names()
	group := parquet.Group{}
	for _, name := range names {
		group[name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
	if t.label != "" {
		group[t.label] = parquet.String()
	}
	options := []parquet.WriterOption{parquet.NewSchema("table", inOrder{group, names})}
	facts := map[string][]string{}
	for _, f := range t.meta {
		facts[f.key] = append(facts[f.key], f.values()...)
	}
	for key, values := range facts {
		options = append(options, parquet.KeyValueMetadata(key, strings.Join(values, "\n")))
	}
	out := parquet.NewWriter(w, options...)
	for k, values := range t.rows {
		var row parquet.Row
		if t.label != "" {
			row = append(row, parquet.ByteArrayValue([]byte(t.labels[k])).Level(0, 0, 0))
		}
		for _, v := range values {
			cell := parquet.NullValue().Level(0, 0, len(row))
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				cell = parquet.DoubleValue(v).Level(0, 1, len(row))
			}
			row = append(row, cell)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}

// inOrder is a group whose fields have the order of names, not of the alphabet.
type inOrder struct {
	parquet.Group
	names []string
}

func (g inOrder) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(g.names, a.Name()) - slices.Index(g.names, b.Name())
	})
	return fields
}
