/** A module's functions, variables and scopes of names, and where in memory they lie. */
package tilewright.simulator.compiler.module;
