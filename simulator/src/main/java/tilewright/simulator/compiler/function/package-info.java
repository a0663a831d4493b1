/** Lowers the bodies of functions: each instruction by its class, calls, and branches. */
package tilewright.simulator.compiler.function;
