/** Basic blocks of operations on registers, and the bytecode that executes them. */
package tilewright.simulator.compiler.code;
