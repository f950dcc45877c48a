package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/metastable/metastable/montecarlo"
)

// A folder of a sweep holds its plan and, for each shard that has begun, one file.
const (
	planFile   = "plan.json"
	searchFile = "boundary.json" // of a boundary, which has no shards
	shardFiles = "shard-*-of-*.json"
)

func shardFile(dir string, i, n int) string {
	return filepath.Join(dir, fmt.Sprintf("shard-%d-of-%d.json", i, n))
}

// writePlan makes the folder of a sweep. One that is there already has to be of the
// same sweep.
func writePlan(dir string, plan *montecarlo.Plan) error {
	path := filepath.Join(dir, planFile)
	var there montecarlo.Plan
	switch err := readJSON(path, &there); {
	case err == nil && there.ID() == plan.ID():
		return nil
	case err == nil:
		return fmt.Errorf("%s is of another sweep (%s of %s, not %s); nothing is overwritten: remove it or name another place", dir, there.ID(), there.Name, plan.ID())
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	return writeJSON(path, plan)
}

// openPlan reads the plan of a folder.
func openPlan(dir string) (*montecarlo.Plan, *montecarlo.Sweep, error) {
	path := filepath.Join(dir, planFile)
	plan := &montecarlo.Plan{}
	err := readJSON(path, plan)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("no sweep is planned in %s: %w; see metastable sweep plan --help", dir, err)
	}
	if err != nil {
		return nil, nil, err
	}
	if plan.Version != version() {
		return nil, nil, fmt.Errorf("%s was made by metastable %s, and this is %s: results may differ; plan the sweep again", path, plan.Version, version())
	}
	s, err := plan.Sweep()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return plan, s, nil
}

// openShard reads what is done of a shard; nothing is where there is no folder or file.
func openShard(dir string, plan *montecarlo.Plan, s *montecarlo.Sweep, i, n int) (*montecarlo.Shard, error) {
	if dir == "" {
		return plan.Shard(s, i, n)
	}
	path, shard := shardFile(dir, i, n), &montecarlo.Shard{}
	err := readJSON(path, shard)
	if errors.Is(err, os.ErrNotExist) {
		return plan.Shard(s, i, n)
	}
	if err == nil && (shard.Index != i || shard.Of != n) {
		err = fmt.Errorf("it is shard %d/%d", shard.Index, shard.Of)
	}
	if err == nil {
		shard, err = plan.Resume(s, shard)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it to run the shard again", path, err)
	}
	return shard, nil
}

func saveShard(dir string, shard *montecarlo.Shard) error {
	return writeJSON(shardFile(dir, shard.Index, shard.Of), shard)
}

// openShards reads the shards of a folder: of all ways it has been divided, the one of
// which most is done.
func openShards(dir string, plan *montecarlo.Plan, s *montecarlo.Sweep) ([]*montecarlo.Shard, error) {
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), shardFiles))
	if err != nil {
		return nil, err
	}
	groups, share, best := map[int][]*montecarlo.Shard{}, map[int]int{}, 0
	for _, path := range paths {
		var i, n int
		if _, err := fmt.Sscanf(filepath.Base(path), "shard-%d-of-%d.json", &i, &n); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		shard, err := openShard(dir, plan, s, i, n)
		if err != nil {
			return nil, err
		}
		done, _ := shard.Left()
		groups[n], share[n] = append(groups[n], shard), share[n]+done
		if best == 0 || share[n] > share[best] {
			best = n
		}
	}
	return groups[best], nil
}

// escapeGlob returns a pattern that matches the path alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

// clearSweep removes the folder of a sweep that is done, but nothing that is of something else.
func clearSweep(dir string) error {
	paths := []string{filepath.Join(dir, planFile)}
	for _, pattern := range []string{shardFiles, searchFile, ".*.tmp"} {
		more, err := filepath.Glob(filepath.Join(escapeGlob(dir), pattern))
		if err != nil {
			return err
		}
		paths = append(paths, more...)
	}
	for _, path := range append(paths, dir) {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(path string, v any) error {
	return writeFile(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}
