/**
 * What Hopper kernels are put together from: tiles that tensor copies fill, rings of stages between a producer and
 * consumers, warpgroups that multiply, and epilogues.
 */
package tilewright.sm90.collective;
