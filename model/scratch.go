package model

// scratch holds every intermediate quantity of one evaluation and, when asked for,
// its gradient with respect to the core variables and, last, the time.
type scratch struct {
	width  int     // core size + 1
	served float64 // share of the content that is present and need not be validated
	comes  float64 // its rate of change, 1/s
	flow   flow
	class  []classFlow
	pool   []poolFlow
	lruRes float64 // the cache's equation: share of it that is full, − 1
	gLRU   []float64
	mem    []float64 // all gradients
}

// flow is what boots and retries do.
type flow struct {
	lam               float64   // first attempts, 1/s
	due               []float64 // z/D of each stage, 1/s
	sent              float64   // share of the due retries that the budget sends
	attempts, adm     float64   // 1/s
	ratio, shed       float64   // admitted share of the attempts and its complement
	ok, bad           float64   // success of an admitted boot and its complement
	fail              float64   // F, share of the attempts that fail
	theta             float64   // (1 − φ) τ_f, s: what the closure variable has to be
	sess              float64   // ds/dt without the − s/T term
	gSent, gAtt, gAdm []float64
	gRatio, gBad      []float64
	gFail, gTheta     []float64
	gSess             []float64
}

// classFlow is what one class asks for and gets.
type classFlow struct {
	hot       float64 // Σ π x
	age       float64 // 1/s: expiry of a compartment, 0 for a fixed time to live
	sh        shape
	p         float64 // time-out probability of one read at one shard
	gr, grc   float64 // no shard refuses, and the complement
	o, oc     float64 // a read succeeds, and the complement
	f, s      float64 // a request fails after all attempts, and succeeds
	mult      float64 // attempts made per request
	rate      float64 // Ã: reads of the class, attempts included, 1/s
	lone      float64 // share of the misses that fetch (1 unless coalesced)
	drive     [driveKinds]float64
	gDrive    [driveKinds][]float64
	gO, gGr   []float64
	gF, gRate []float64
	gLone     []float64
	gMult     []float64
	gCalls    []float64
}

// poolFlow is one pool.
type poolFlow struct {
	mu, bg           float64
	n, v, b, share   float64 // n and v of a measured curve stay 0
	wait             float64 // R = (n + 1)/μ, s
	r, kappa         float64 // refused, exponent of the soft limit
	load             float64 // W, work units/s per shard
	calls            float64 // queries/s per shard
	second, common   float64 // Σ λ (E[w²] + (c_a² − 1) w̄²), Σ λ E[w_i w_j]
	raw              float64 // Σ λ E[w²]
	dn, dv           float64
	bNew, shareNew   float64
	gR, gLoad, gCall []float64
	gSecond, gCommon []float64
	gRaw, gDn, gDv   []float64
	gB, gShare       []float64
}

func newScratch(l *layout) scratch {
	w := scratch{width: l.core.size + 1, class: make([]classFlow, len(l.class)), pool: make([]poolFlow, len(l.pool))}
	grads := []*[]float64{
		&w.gLRU, &w.flow.gSent, &w.flow.gAtt, &w.flow.gAdm, &w.flow.gRatio, &w.flow.gBad,
		&w.flow.gFail, &w.flow.gTheta, &w.flow.gSess,
	}
	for i := range w.class {
		c := &w.class[i]
		grads = append(grads, &c.gO, &c.gGr, &c.gF, &c.gRate, &c.gMult, &c.gLone, &c.gCalls)
		for d := range c.gDrive {
			grads = append(grads, &c.gDrive[d])
		}
	}
	for i := range w.pool {
		p := &w.pool[i]
		grads = append(grads, &p.gR, &p.gLoad, &p.gCall, &p.gSecond, &p.gCommon, &p.gRaw, &p.gDn, &p.gDv, &p.gB, &p.gShare)
	}
	w.flow.due = make([]float64, l.nz)
	w.mem = make([]float64, len(grads)*w.width)
	for i, g := range grads {
		*g = w.mem[i*w.width : (i+1)*w.width : (i+1)*w.width]
	}
	return w
}
