/**
 * Speed: {@code bench} and {@code tune} measure kernels, {@code budget} names the unit that bounds one.
 */
package tilewright.cli.bench;
