/**
 * Where things lie in Tensor Memory and what the descriptors of {@code tcgen05} instructions say: pure functions of
 * their operands, without any state of the machine.
 */
package tilewright.simulator.tmem;
