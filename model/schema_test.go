package model

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compiledSchema compiles the generated schema, which checks it against the
// meta-schema of 2020-12.
func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(schema *jsonschema.Schema, file []byte) error {
	data, err := yaml.YAMLToJSON(file)
	if err != nil {
		return fmt.Errorf("to JSON: %w", err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

func TestSchema_reference_exact(t *testing.T) {
	schema := compiledSchema(t)
	for name, data := range referenceFiles(t) {
		if err := validate(schema, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s := mustParse(t, name, data)
		if err := validate(schema, s.YAML()); err != nil {
			t.Errorf("canonical form of %s: %v", name, err)
		}
	}
}
