#!/usr/bin/env python3
"""Largest difference of two trajectories, column by column, at the times of the reference.

    compare.py TRAJECTORY REFERENCE [--tolerance 1e-4]

Columns are matched by position. A difference is |a - b| / max(|a|, |b|, floor) with
a floor of 1e-2, so that 1e-4 is 1e-6 absolute on probabilities. Exit status 1 above
the tolerance.
"""
import argparse
import csv
import sys

FLOOR = 1e-2


def read(path):
    with open(path, newline="") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        return next(rows), [[float(value) for value in row] for row in rows]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("trajectory")
    args.add_argument("reference")
    args.add_argument("--tolerance", type=float, default=1e-4)
    args = args.parse_args()
    header, ours = read(args.trajectory)
    _, theirs = read(args.reference)
    at = {row[0]: row for row in ours}
    if missing := [row[0] for row in theirs if row[0] not in at]:
        sys.exit(f"compare: {args.trajectory} has no row at {missing[0]:g} s")
    failed = False
    for i, name in enumerate(header):
        worst, when = max((abs(at[b[0]][i] - b[i]) / max(abs(at[b[0]][i]), abs(b[i]), FLOOR), b[0])
                          for b in theirs)
        failed |= worst > args.tolerance
        print(f"{name:24s} {worst:.1e} at {when:g} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
