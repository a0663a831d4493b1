/**
 * The kernel language. Java runs once and traces a kernel into PTX: what Java knows then (layouts, tile sizes, stage
 * counts) is folded into the code, what only the GPU knows is a symbolic {@link tilewright.kernel.I32},
 * {@link tilewright.kernel.F32} or {@link tilewright.kernel.Pred}. Every address comes from a layout.
 */
package tilewright.kernel;
