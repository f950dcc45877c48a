// Package recovery finds the way home from an outage that outlives its cause: how far to
// throttle, for how long, and how large each next step may be.
//
// A [Situation] is a system in a state, to be driven by the limit on the boots that are
// admitted. [Find] returns the soonest of the plans it tries: steps of the throttle, each taken as
// soon as it is safe. A step is safe when the trajectory of the whole system that
// follows, with the throttle left there, does not relapse while one watches: that is
// checked by running it, with nothing assumed of the shape of the system, for the
// traffic of the hours to come. Where the system is cooperative, [Guarantee] adds a
// comparison that holds without running it. [Robust] does the same for many situations at once, whose
// parameters differ as far as they are uncertain, and [Verify] runs any plan.
package recovery
