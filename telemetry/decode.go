package telemetry

import (
	"bufio"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// decode returns the text as UTF-8 without a byte order mark. UTF-16 is known by its
// mark, or by the zero byte beside a first character of ASCII.
func decode(r io.Reader) io.Reader {
	src := bufio.NewReader(r)
	head, _ := src.Peek(3) // an error comes again with the first read
	switch {
	case len(head) >= 3 && head[0] == 0xEF && head[1] == 0xBB && head[2] == 0xBF:
		src.Discard(3)
		return src
	case len(head) >= 2 && head[0] == 0xFF && head[1] == 0xFE:
		src.Discard(2)
		return &wide{src: src}
	case len(head) >= 2 && head[0] == 0xFE && head[1] == 0xFF:
		src.Discard(2)
		return &wide{src: src, bigEndian: true}
	case len(head) >= 2 && head[0] != 0 && head[1] == 0:
		return &wide{src: src}
	case len(head) >= 2 && head[0] == 0 && head[1] != 0:
		return &wide{src: src, bigEndian: true}
	}
	return src
}

// wide turns UTF-16 into UTF-8. What is no character becomes U+FFFD.
type wide struct {
	src       *bufio.Reader
	bigEndian bool
	buf       []byte // decoded, not yet read
	pending   rune   // a unit read too early, or 0
	err       error
}

// Read implements io.Reader.
func (w *wide) Read(p []byte) (int, error) {
	for len(w.buf) < len(p) && w.err == nil {
		r := w.unit()
		if w.err != nil {
			break
		}
		if utf16.IsSurrogate(r) {
			second := w.unit()
			if full := utf16.DecodeRune(r, second); full != utf8.RuneError {
				r = full
			} else {
				r, w.pending = utf8.RuneError, second
			}
		}
		w.buf = utf8.AppendRune(w.buf, r)
	}
	n := copy(p, w.buf)
	w.buf = append(w.buf[:0], w.buf[n:]...)
	if n == 0 && len(p) > 0 {
		return 0, w.err
	}
	return n, nil
}

// unit returns the next 16 bits. One byte alone at the end is dropped by no one: it
// counts as the low half of a unit.
func (w *wide) unit() rune {
	if r := w.pending; r != 0 {
		w.pending = 0
		return r
	}
	a, err := w.src.ReadByte()
	if err != nil {
		w.err = err
		return 0
	}
	b, err := w.src.ReadByte()
	if err != nil && err != io.EOF {
		w.err = err
		return 0
	}
	if w.bigEndian {
		a, b = b, a
	}
	return rune(a) | rune(b)<<8
}

// utf8Or returns text that is UTF-8: itself, or what it means in Latin-1.
func utf8Or(text string) (string, bool) {
	if utf8.ValidString(text) {
		return text, true
	}
	runes := make([]rune, 0, len(text))
	for i := range len(text) {
		runes = append(runes, rune(text[i]))
	}
	return string(runes), false
}
