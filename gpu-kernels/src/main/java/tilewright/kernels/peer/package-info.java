/**
 * Kernels that run on several devices at the same time and write into each other's memory: exchanges of FP32 numbers
 * that flags of scope {@code .sys} order. They are written for any number of devices.
 */
package tilewright.kernels.peer;
