package markov

import (
	"os"
	"testing"

	"github.com/metastable/metastable/model"
)

func scenario(t testing.TB, file string, set ...string) *model.Scenario {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := model.Parse(file, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(set); i += 2 {
		if err := sc.Set(set[i], set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

func TestHotOS(t *testing.T) {
	for _, f := range []string{"hotos25-queue150.yaml", "hotos25-queue35.yaml"} {
		m, err := New(scenario(t, f))
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Outcome(nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s grid %v trunc %g failed %g err %g sep %g fall %+v recover %+v lambda %v settle %g resid %g warn %v", f, o.Grid, o.Truncation, o.Failed, o.Error, o.Separation, o.Fall, o.Recover, o.Spectrum.Lambda, o.Settle, o.Residual, o.Warnings)
	}
}
