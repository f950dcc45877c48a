// Package markov judges a scenario by an exact continuous-time Markov chain: how long a
// metastable state lasts, how likely a disturbance leads to it, and how the system comes
// back. It shares no formula with the equations it judges.
//
// A [Chain] has states 0…n−1 in an order in which rates reach only near states, as those
// of a grid of levels and phases do when they are counted level by level. Elimination
// then stays inside the band, which is the block elimination of a level-structured chain
// with the blocks taken apart into their states. All eliminations are free of
// subtractions (Grassmann, Taksar & Heyman 1985, doi:10.1287/opre.33.5.1107; O'Cinneide
// 1993, doi:10.1007/BF01385743): every number keeps nearly all of its digits, whether a
// probability is 1e-200 or a time 1e+200.
//
// [Analyze] puts the parts together: the stationary law, the slowest mode, the two states
// the chain lingers in, the committor between them, and the times to fall and to recover.
// [New] derives a chain from a scenario, and [Model.Solve] enlarges its state space until
// the answers no longer depend on where it is cut.
package markov
