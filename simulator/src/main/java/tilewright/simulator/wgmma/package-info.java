/** Matrix multiplication by a warpgroup: {@code wgmma} of Hopper. */
package tilewright.simulator.wgmma;
