/**
 * The state that every part of the machine works on: compiled kernels, launches, and the state of clusters, CTAs and
 * warps. Generated code calls public static methods of this package and those above it; none of them is exported.
 */
package tilewright.simulator.core;
