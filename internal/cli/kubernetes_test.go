package cli

import (
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The manifest holds to the fields of a Job, and says what was asked for, also where an
// image has a name that YAML reads as something else.
func TestSweep_kubernetes_exact(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "job.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mustRun(t, dir, "sweep", "plan", "hotos21-cache", "--vary", "timeline.0.flush=5%..40%:5", "-o", "parts")
	for _, image := range []string{"registry.example/metastable:1", "1e3", "a: b #c"} {
		mustRun(t, dir, "sweep", "submit", "parts", "--engine", "kubernetes", "--shards", "4", "--image", image, "--claim", "null")
		var job map[string]any
		if err := yaml.Unmarshal(mustRead(t, filepath.Join(dir, "parts", "job.yaml")), &job); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(job); err != nil {
			t.Errorf("image %q: %v", image, err)
		}
		pod := job["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		if got := pod["containers"].([]any)[0].(map[string]any)["image"]; got != image {
			t.Errorf("image %v, want %q", got, image)
		}
	}
}
