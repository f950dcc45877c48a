package telemetry

import (
	"bufio"
	"encoding/csv"
	"io"
	"regexp"
)

// Rows returns a reader of the rows of a CSV file as spreadsheets and scripts write it:
// UTF-8 or UTF-16, with or without a byte order mark and a line "sep=;", with commas,
// semicolons, tabs or bars between the cells, and comments after #. plain turns a cell's
// decimal comma, which files with semicolons have, into a point.
func Rows(r io.Reader) (rows *csv.Reader, plain func(cell string) string) {
	const look = 1 << 16
	src := bufio.NewReaderSize(decode(r), look)
	head, _ := src.Peek(look) // an error comes again with the first read
	d, err := dialectOf(head)
	if err != nil {
		d.comma = ',' // one column, or none
	}
	rows = csv.NewReader(src)
	rows.Comma, rows.Comment, rows.TrimLeadingSpace = d.comma, '#', d.comma != '\t'
	if d.sepLine {
		rows.FieldsPerRecord = -1
		rows.Read() // an error comes again
		rows.FieldsPerRecord = 0
	}
	plain = func(cell string) string { return cell }
	if d.comma == ';' {
		plain = func(cell string) string { return decimal.ReplaceAllString(cell, "$1.$2") }
	}
	return rows, plain
}

var decimal = regexp.MustCompile(`^(\s*[+-]?\d*),(\d+)`)
