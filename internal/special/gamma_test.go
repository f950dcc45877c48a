package special

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// readTable reads a table of testdata, written by testdata/reference.py.
func readTable(t *testing.T, name string) [][]float64 {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, len(records))
	for i, rec := range records {
		for _, s := range rec {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			rows[i] = append(rows[i], v)
		}
	}
	return rows
}

func relErr(got, want float64) float64 { return math.Abs(got-want) / math.Abs(want) }

func TestGoldenGammaQ(t *testing.T) {
	const eps = 0x1p-53
	for _, r := range readTable(t, "gamma.csv") {
		a, x := r[0], r[1]
		q := GammaQ(a, x)
		gq, da, dx := GammaQGrad(a, x)
		errs := [4]float64{relErr(q, r[2]), relErr(gq, r[2]), relErr(da, r[3]), relErr(dx, r[4])}
		// A rounding of a or x moves ln Q by up to eps·|x − a| (and that is
		// what the exponent of the expansions loses); the rest is a few eps.
		tol := 5e-14 + eps*math.Abs(x-a)
		for i, tol := range [4]float64{tol, tol, 10 * tol, tol} {
			if !(errs[i] <= tol) {
				t.Errorf("a = %g, x = %g: error %.1e > %.1e in %s", a, x, errs[i], tol, [4]string{"Q", "Q of the gradient", "∂a", "∂x"}[i])
			}
		}
	}
}
