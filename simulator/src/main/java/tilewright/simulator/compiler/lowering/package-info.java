/** The base that the lowering of every instruction uses: the block being built, modifiers, and addresses. */
package tilewright.simulator.compiler.lowering;
