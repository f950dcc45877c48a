// Package telemetry reads what people export from their monitoring into one type:
// named series of (time, value) with unit and origin.
//
// [Read] takes CSV of many dialects (Grafana's, spreadsheets', scripts'), Prometheus,
// CloudWatch, Datadog and Graphite JSON, and Graphite's raw format; [Prometheus] asks a
// live server. Times become seconds since 1970-01-01 UTC, or since the start of the
// recording; values become SI units: s, 1/s, B, B/s, and 1 for shares.
//
// Nothing is dropped in silence: each cell that is missing, repaired or refused is
// counted in a [Warning], with its first lines. Zeros stay zeros, and where there is no
// sample there is a gap: nothing is filled in, extended or clipped. A file that cannot
// be read at all is a [ParseError] with line, column and cell.
//
// [Scan] does the same one sample at a time in memory that does not grow with the number
// of rows. [Series.Resample] and [Resampler] put samples on a grid, and [Rate] turns
// counters into rates; both say what they did.
package telemetry
