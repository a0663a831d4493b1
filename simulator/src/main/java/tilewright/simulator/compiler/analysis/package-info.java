/** Analyses of a function's code: its control flow, and the values that are watched. */
package tilewright.simulator.compiler.analysis;
