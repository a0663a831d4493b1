/**
 * Layouts from what they do: from tables, facts and sums, from the owners of a tile, and as permutations.
 */
package tilewright.layout.synthesis;
