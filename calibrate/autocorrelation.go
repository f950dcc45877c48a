package calibrate

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// AutocorrelationTime returns the integrated autocorrelation time of a stationary series,
// in samples: n samples are worth n over it. The sum of the autocorrelations ends at the
// first window that is five times what it gives (Sokal 1997, "Monte Carlo methods in
// statistical mechanics", section 3). At least 1; for a constant series it is 1.
func AutocorrelationTime(x []float64) float64 {
	return integrated(autocorrelation(x))
}

func integrated(rho []float64) float64 {
	const window = 5
	tau := 1.0
	for k := 1; k < len(rho); k++ {
		tau += 2 * rho[k]
		if float64(k) >= window*tau {
			break
		}
	}
	return max(1, tau)
}

// autocorrelation returns ρ_0 = 1, ρ_1, …, by way of the power spectrum.
func autocorrelation(x []float64) []float64 {
	n := len(x)
	mean := 0.0
	for _, v := range x {
		mean += v / float64(n)
	}
	size := 1
	for size < 2*n {
		size *= 2
	}
	padded := make([]float64, size)
	for i, v := range x {
		padded[i] = v - mean
	}
	fft := fourier.NewFFT(size)
	c := fft.Coefficients(nil, padded)
	for i, v := range c {
		c[i] = complex(real(v)*real(v)+imag(v)*imag(v), 0)
	}
	rho := fft.Sequence(nil, c)[:n]
	if rho[0] <= 0 {
		return []float64{1}
	}
	r0 := rho[0]
	for i := range rho {
		rho[i] /= r0
	}
	return rho
}

// ensembleTime is the autocorrelation time of walkers of one ensemble: that of the mean of
// their autocorrelations.
func ensembleTime(series [][]float64) float64 {
	var mean []float64
	for _, x := range series {
		rho := autocorrelation(x)
		if mean == nil {
			mean = make([]float64, len(x))
		}
		for k, v := range rho {
			mean[k] += v / float64(len(series))
		}
	}
	return integrated(mean)
}

// RHat returns the potential scale reduction of chains, each split in halves (Gelman et
// al. 2013, Bayesian Data Analysis, section 11.4): near 1 where all show the same.
func RHat(chains [][]float64) float64 {
	var means, vars []float64
	n := len(chains[0]) / 2
	for _, x := range chains {
		for _, half := range [][]float64{x[:n], x[len(x)-n:]} {
			m, v := meanVariance(half)
			means, vars = append(means, m), append(vars, v)
		}
	}
	_, between := meanVariance(means)
	within, _ := meanVariance(vars)
	if within == 0 {
		return 1
	}
	return math.Sqrt((float64(n-1)/float64(n)*within + between) / within)
}

func meanVariance(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, variance
}
