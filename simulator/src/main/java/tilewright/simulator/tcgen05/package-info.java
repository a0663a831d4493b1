/** Tensor Memory and the fifth generation of tensor cores: {@code tcgen05} of Blackwell. */
package tilewright.simulator.tcgen05;
