/** Matrix multiplication by one warp: {@code mma} and {@code wmma}. */
package tilewright.simulator.mma;
