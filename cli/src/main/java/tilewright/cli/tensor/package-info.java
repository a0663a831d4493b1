/**
 * Tensors in files: {@code .npy} and {@code .safetensors}, read and written without NumPy.
 */
package tilewright.cli.tensor;
