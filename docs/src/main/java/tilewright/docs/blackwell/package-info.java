/**
 * Figures and pages of Blackwell's kernels, made from their PTX and from traces of the simulator.
 */
package tilewright.docs.blackwell;
