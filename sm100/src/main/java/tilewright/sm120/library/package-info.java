/** The kernels of SM120 as the commands know them. */
package tilewright.sm120.library;
