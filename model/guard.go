package model

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// Hard limits on what a file may hold, so that a hostile one costs little.
const (
	maxFileSize = 4 << 20
	maxNesting  = 64
	maxNodes    = 500_000 // with aliases written out; also of the characters that structure the text
	maxKeys     = 100_000
	maxBlock    = 2000 // keys of one mapping, and
	maxEmpty    = 100  // values left empty: the parser's time grows with their square
)

// invalidRune returns the first byte that is not UTF-8 or is a control
// character other than a line end or a tab, or -1.
func invalidRune(text string) int {
	for i, c := range text {
		if c == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") || c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return i
		}
	}
	return -1
}

// structure counts the characters that can make YAML of a text large.
func structure(text string) int {
	n := 0
	for _, c := range []string{",", ":", "[", "]", "{", "}"} {
		n += strings.Count(text, c)
	}
	return n
}

// tooMuch returns the token at which a limit is exceeded, and which: the parser's
// recursion, and its time, must not follow the input.
func tooMuch(tokens token.Tokens) (*token.Token, string) {
	type level struct{ column, keys int }
	var block []level // the open block collections
	var flow []bool   // the open flow collections: is it a mapping?
	run, line, keys, empty := 0, 0, 0, 0
	value := true // the last flow entry has one
	for i, t := range tokens {
		if t.Position.Line != line {
			line, run = t.Position.Line, 0
			for len(block) > 0 && block[len(block)-1].column > t.Position.Column {
				block = block[:len(block)-1]
			}
			if len(block) == 0 || block[len(block)-1].column < t.Position.Column {
				block = append(block, level{column: t.Position.Column})
			}
			if len(flow) == 0 && t.Type != token.SequenceEntryType {
				block[len(block)-1].keys++
			}
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow = append(flow, t.Type == token.MappingStartType)
			value = true
		case token.MappingEndType, token.SequenceEndType, token.CollectEntryType:
			if len(flow) > 0 && flow[len(flow)-1] && !value {
				empty++
			}
			value = t.Type != token.CollectEntryType
			if value {
				flow = flow[:max(0, len(flow)-1)]
			}
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			run++ // they nest without growing the indentation of a line's start
		case token.MappingValueType:
			keys++
			value = false
		default:
			value = i > 0 && tokens[i-1].Type == token.MappingValueType
		}
		if len(flow) == 0 && endsEmpty(tokens, i) {
			empty++
		}
		switch {
		case len(flow)+run+len(block) > maxNesting:
			return t, fmt.Sprintf("%d levels of nesting", maxNesting)
		case block[len(block)-1].keys > maxBlock:
			return t, fmt.Sprintf("%d keys in one mapping", maxBlock)
		case keys > maxKeys:
			return t, fmt.Sprintf("%d keys", maxKeys)
		case empty > maxEmpty:
			return t, fmt.Sprintf("%d keys or list entries with nothing after them", maxEmpty)
		}
	}
	return nil, ""
}

// endsEmpty reports whether a block entry or key has nothing after it.
func endsEmpty(tokens token.Tokens, i int) bool {
	t, start := tokens[i], tokens[i].Position.Column
	switch t.Type {
	case token.MappingValueType:
		start = tokens[max(0, i-1)].Position.Column // of the key
	case token.SequenceEntryType:
	default:
		return false
	}
	if i+1 == len(tokens) {
		return true
	}
	next := tokens[i+1]
	list := t.Type == token.MappingValueType && next.Type == token.SequenceEntryType // may stand below its key
	return next.Position.Line > t.Position.Line && next.Position.Column <= start && !list
}
