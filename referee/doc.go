// Package referee puts three descriptions of one scenario side by side: the fluid equations,
// the exact Markov chain where there is one, and the discrete-event simulation. The chain and
// the simulation share no formula with the equations, so that what is between them is a
// measure of the error of the fluid.
package referee
