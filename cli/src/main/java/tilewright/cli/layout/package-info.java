/**
 * The commands of {@code tilewright layout}, which evaluate, explain, draw and check layouts.
 */
package tilewright.cli.layout;
