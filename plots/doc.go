// Package plots draws the figures of the toolkit.
//
// Data come first: a figure is a struct of plain numbers that writes itself as a
// table (WriteCSV) and as a picture (Write). The table holds every number; the
// picture may thin a long series to what its resolution can show.
//
// Pictures use the colours of Okabe and Ito (Color Universal Design, 2008), which
// stay apart for readers with any common colour vision, and a dash pattern or a
// width of its own for each line, which keeps them apart in print without colour.
// The same figure gives the same bytes, as SVG and as PNG.
package plots
