/**
 * {@code tilewright cuda}: runs whole CUDA programs with the simulator as their GPU. A small library in C stands for
 * the CUDA runtime in the program's process; it shares device memory with this one and asks it to run kernels.
 */
package tilewright.cli.cuda;
