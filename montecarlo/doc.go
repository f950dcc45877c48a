// Package montecarlo answers questions of probability: how likely a scenario collapses
// when its parameters are uncertain, at many points of a sweep; which parameter matters;
// and how small a probability is that brute force does not see.
//
// The general parts take a plain function and know nothing of caches:
//
//   - designs in the unit cube: [Sample], [Sobol]
//   - an ensemble runner that gives the same bytes for any number of workers: [Fold]
//   - intervals of probabilities and quantiles with the confidence they achieve:
//     [Wilson], [ClopperPearson], [Tally]
//   - sampling where it matters: [Boundary]
//   - sensitivity: [Morris], [SobolIndices], [PAWN], [Swings]
//   - rare events: [Subset], [Split], [Importance]
//
// The others put them to work on a scenario: an [Axis] varies a path, [Classify] says
// how a run went, a [Sweep] runs points times draws, and [Sweep.Function] is what
// sensitivity and rare events ask of it. A [Noise] drives a scenario that stands still.
//
// Randomness is one stream per run, from the seed and the index of the run: see [Stream].
package montecarlo
