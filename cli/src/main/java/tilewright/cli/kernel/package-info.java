/**
 * Kernels by name and setting, from the catalogue and from jars of the user, and the commands that show them:
 * {@code kernels}, {@code ptx} and {@code resources}.
 */
package tilewright.cli.kernel;
