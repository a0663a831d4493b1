/**
 * PTX assemblers: {@code ptxas} where a toolkit is installed, the compiler in JCuda's natives elsewhere.
 */
package tilewright.device.assembly;
