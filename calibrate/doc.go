// Package calibrate fits parameters to measurements and says what the measurements can
// and cannot tell.
//
// The general part knows nothing of caches. A [Problem] is parameters with bounds or
// priors, channels of measured values with a law of their noise, and a [Predictor].
// [New] fits it by local searches from many starts and by CMA-ES; the [Fit] then answers
//
//   - how well each parameter and each direction in their space is known: [Fit.Identify]
//   - intervals that hold for curved problems too: [Fit.Profiles]
//   - the posterior, with the proof that the chains are long enough: [Fit.Sample]
//   - what would be measured again: [Posterior.Bands]
//
// The other part makes such problems of a scenario and recordings of what the system
// did, [Recordings], and of load tests of one pool, [LoadTest].
package calibrate
