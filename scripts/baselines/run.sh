#!/usr/bin/env bash
# The reference day (14 h, 24 popularity bins, 7 backoff stages) on the same equations with
# CVODE, SciPy and this project's integrator: CPU time, evaluations of the right-hand side,
# steps, and the largest difference from a tight run. Summing the Zipf weights, compiling
# and printing are not timed. Run it on an idle machine.
# CVODE gets a dense LU and vector operations that the compiler optimises (optimised.h).
#
# Debian packages: gcc libsundials-dev libgsl-dev python3-scipy.
#
#     scripts/baselines/run.sh [DIRECTORY for the trajectories, default out/baselines]
set -euo pipefail
cd "$(dirname "$0")/../.."
here=scripts/baselines
out=${1:-out/baselines}
python=${PYTHON:-/usr/bin/python3}
export OPENBLAS_NUM_THREADS=1
mkdir -p "$out"

gcc -std=gnu11 -O3 -Wall -Wextra -o "$out/slack_cvode" $here/slack_cvode.c -lsundials_cvode -lsundials_nvecserial \
  -lsundials_sunlinsoldense -lsundials_sunmatrixdense -lgsl -lgslcblas -lm

"$out/slack_cvode" 1e-10 1 >"$out/tight.csv"

difference() { # difference NAME TOLERANCE: the column of NAME.csv that is farthest from the tight run
  "$python" $here/compare.py --tolerance "$2" "$out/$1.csv" "$out/tight.csv" | sort -gk2 | tail -n 1 | sed 's/^/    largest difference: /'
}

# The two agree when both are precise.
"$python" $here/slack_scipy.py --rtol 1e-8 >"$out/scipy-1e-8.csv"
difference scipy-1e-8 1e-5

"$out/slack_cvode" 1e-6 30 >"$out/cvode.csv"
difference cvode 1e-2
"$python" $here/slack_scipy.py --rtol 1e-6 --repeat 3 >"$out/scipy.csv"
difference scipy 1e-2

go test -run '^$' -bench ReferenceDay -benchmem ./trajectory
