/**
 * SM120, whose warps multiply floats with block scales by {@code mma.sync}: the atom with the layouts of its scales,
 * and a GEMM in SM80's main loop. Formats and layouts in memory are those of {@link tilewright.sm100}.
 */
package tilewright.sm120;
