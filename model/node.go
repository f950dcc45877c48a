package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

type nodeKind int

const (
	scalarNode nodeKind = iota
	mappingNode
	listNode
	emptyNode // a key with nothing after it, ~ or null
)

// A yamlNode is a value of the file with anchors, aliases and merges written out.
type yamlNode struct {
	kind      nodeKind
	text      string // of a scalar, as the file spells it
	quote     bool   // written in quotes even where YAML does not need them
	pairs     []yamlPair
	items     []*yamlNode
	line, col int // from 1; 0 when the node is not from a file
}

type yamlPair struct {
	key       string
	value     *yamlNode
	line, col int
}

func scalar(text string) *yamlNode { return &yamlNode{text: text} }

// get returns the value of a key, nil when absent.
func (n *yamlNode) get(key string) *yamlNode {
	for i := range n.pairs {
		if n.pairs[i].key == key {
			return n.pairs[i].value
		}
	}
	return nil
}

// found names the node in an error.
func (n *yamlNode) found() string {
	switch n.kind {
	case mappingNode:
		return "a mapping"
	case listNode:
		return fmt.Sprintf("a list of length %d", len(n.items))
	case emptyNode:
		return "nothing"
	}
	return fmt.Sprintf("%q", shorten(n.text))
}

func shorten(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}

// parseYAML reads one document.
func parseYAML(data []byte) (*yamlNode, *ParseError) {
	fail := func(line, col int, format string, args ...any) (*yamlNode, *ParseError) {
		return nil, &ParseError{Line: line, Column: col, Message: fmt.Sprintf(format, args...)}
	}
	if len(data) > maxFileSize {
		return fail(1, 1, "the file has %d bytes, more than %d are not read", len(data), maxFileSize)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if i := invalidRune(text); i >= 0 {
		line := 1 + strings.Count(text[:i], "\n")
		col := 1 + utf8.RuneCountInString(text[strings.LastIndexByte(text[:i], '\n')+1:i])
		return fail(line, col, "byte 0x%02x is not text; want YAML in UTF-8", text[i])
	}
	if structure(text) > maxNodes {
		return fail(1, 1, "more than %d commas, colons and brackets", maxNodes)
	}
	tokens := slices.DeleteFunc(lexer.Tokenize(text), func(t *token.Token) bool { return t.Type == token.CommentType })
	if t, what := tooMuch(tokens); t != nil {
		return fail(t.Position.Line, t.Position.Column, "more than %s", what)
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var at interface {
			GetMessage() string
			GetToken() *token.Token
		}
		if !errors.As(err, &at) || at.GetToken() == nil {
			return fail(1, 1, "not YAML: %v", err)
		}
		p, msg := at.GetToken().Position, at.GetMessage()
		if strings.Contains(msg, "character '\t'") {
			msg = "a tab at the start of a line; indent with spaces"
		}
		return fail(p.Line, p.Column, "not YAML: %s", msg)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.DirectiveType {
			continue
		}
		if body != nil {
			p := doc.Body.GetToken().Position
			return fail(p.Line, p.Column, "a second document; want one scenario a file")
		}
		body = doc.Body
	}
	if body == nil {
		return fail(1, 1, "the file is empty; want a scenario")
	}
	r := reader{anchors: map[string]*yamlNode{}}
	n := r.node(body)
	return n, r.err
}

// A reader turns the parser's tree into plain nodes.
type reader struct {
	anchors map[string]*yamlNode
	nodes   int
	err     *ParseError
}

func (r *reader) fail(t *token.Token, format string, args ...any) *yamlNode {
	if r.err == nil {
		r.err = &ParseError{Line: t.Position.Line, Column: t.Position.Column, Message: fmt.Sprintf(format, args...)}
	}
	return &yamlNode{kind: emptyNode}
}

func (r *reader) node(a ast.Node) *yamlNode {
	t := a.GetToken()
	n := &yamlNode{line: t.Position.Line, col: t.Position.Column}
	if r.nodes++; r.nodes > maxNodes {
		return r.fail(t, "more than %d values", maxNodes)
	}
	switch a := a.(type) {
	case *ast.MappingNode:
		n.kind = mappingNode
		if !a.IsFlowStyle && len(a.Values) > 0 { // the token is the first colon
			p := a.Values[0].Key.GetToken().Position
			n.line, n.col = p.Line, p.Column
		}
		r.mapping(n, a.Values)
	case *ast.MappingValueNode:
		n.kind = mappingNode
		r.mapping(n, []*ast.MappingValueNode{a})
	case *ast.SequenceNode:
		n.kind = listNode
		for _, item := range a.Values {
			if item == nil {
				return r.fail(t, "an empty entry in the list")
			}
			n.items = append(n.items, r.node(item))
		}
	case *ast.NullNode:
		n.kind = emptyNode
	case *ast.LiteralNode:
		n.text = a.Value.Value
	case *ast.AnchorNode:
		v := r.node(a.Value)
		r.anchors[a.Name.GetToken().Value] = v
		return v
	case *ast.AliasNode:
		v := r.anchors[a.Value.GetToken().Value]
		if v == nil {
			return r.fail(t, "alias *%s has no anchor &%[1]s before it", a.Value.GetToken().Value)
		}
		if r.nodes += v.size(maxNodes); r.nodes > maxNodes {
			return r.fail(t, "more than %d values once aliases are written out", maxNodes)
		}
		return v
	case *ast.TagNode:
		return r.fail(t, "tag %s; scenario files need none", t.Value)
	case ast.ScalarNode:
		n.text = t.Value
	default:
		return r.fail(t, "%s is not expected here", t.Value)
	}
	return n
}

// size counts the nodes below and including n, up to a limit.
func (n *yamlNode) size(limit int) int {
	total := 1
	for i := 0; i < len(n.pairs) && total < limit; i++ {
		total += n.pairs[i].value.size(limit - total)
	}
	for i := 0; i < len(n.items) && total < limit; i++ {
		total += n.items[i].size(limit - total)
	}
	return total
}

func (r *reader) mapping(n *yamlNode, values []*ast.MappingValueNode) {
	var merges []*yamlNode
	seen := map[string]int{}
	for _, p := range values {
		t := p.Key.GetToken()
		if p.Key.IsMergeKey() {
			merges = append(merges, r.node(p.Value))
			continue
		}
		if _, ok := p.Key.(ast.ScalarNode); !ok || t.Type == token.NullType || t.Type == token.ImplicitNullType {
			r.fail(t, "this key is not a name")
			return
		}
		if line, ok := seen[t.Value]; ok {
			r.fail(t, "key %q is given twice, first in line %d", shorten(t.Value), line)
			return
		}
		seen[t.Value] = t.Position.Line
		v := r.node(p.Value)
		if v.kind == emptyNode { // its own position is that of the colon
			v = &yamlNode{kind: emptyNode, line: t.Position.Line, col: t.Position.Column}
		}
		n.pairs = append(n.pairs, yamlPair{t.Value, v, t.Position.Line, t.Position.Column})
	}
	for _, m := range merges {
		from := []*yamlNode{m}
		if m.kind == listNode {
			from = m.items
		}
		for _, m := range from {
			if m.kind != mappingNode && r.err == nil {
				r.err = &ParseError{Line: m.line, Column: m.col, Message: "<< needs a mapping"}
				return
			}
			for _, p := range m.pairs {
				if _, ok := seen[p.key]; !ok {
					seen[p.key] = p.line
					n.pairs = append(n.pairs, p)
				}
			}
		}
	}
}

var plainScalar = regexp.MustCompile(`^[A-Za-z0-9.-][A-Za-z0-9_./%+-]*( [A-Za-z0-9_./%+-]+)*$`)

// flow writes the node in one line.
func (n *yamlNode) flow(b *strings.Builder) {
	switch n.kind {
	case mappingNode:
		b.WriteByte('{')
		for i, p := range n.pairs {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(p.key + ": ")
			p.value.flow(b)
		}
		b.WriteByte('}')
	case listNode:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.flow(b)
		}
		b.WriteByte(']')
	default:
		if n.quote || !plainScalar.MatchString(n.text) {
			b.WriteString(`"` + escaper.Replace(n.text) + `"`)
			return
		}
		b.WriteString(n.text)
	}
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

func (n *yamlNode) String() string {
	var b strings.Builder
	n.flow(&b)
	return b.String()
}

// block writes a mapping or a list over several lines, what is short in one.
func (n *yamlNode) block(b *strings.Builder, indent string) {
	for _, p := range n.pairs {
		b.WriteString(indent + p.key + ":")
		line := p.value.String()
		if p.value.kind == scalarNode || len(line) < 100 {
			b.WriteString(" " + line + "\n")
			continue
		}
		b.WriteByte('\n')
		p.value.block(b, indent+"  ")
	}
	for _, item := range n.items {
		b.WriteString(indent + "- " + item.String() + "\n")
	}
}
