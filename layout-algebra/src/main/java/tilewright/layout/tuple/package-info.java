/**
 * Integer tuples, the trees of shapes, strides and coordinates: their arithmetic, their order, and the way between
 * coordinates and colexicographic indices.
 */
package tilewright.layout.tuple;
