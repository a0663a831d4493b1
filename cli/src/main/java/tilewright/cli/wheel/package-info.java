/**
 * The Python package: kernels as machine code, and Java's choices and launches as data that Python evaluates. The data
 * is found by preparing many problems, and holds for every one of them.
 */
package tilewright.cli.wheel;
