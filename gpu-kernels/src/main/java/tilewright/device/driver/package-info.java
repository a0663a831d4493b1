/**
 * The CUDA driver: its functions through JCuda and Java's foreign functions, the attributes of its devices, and whether
 * there is one at all.
 */
package tilewright.device.driver;
