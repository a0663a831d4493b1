package tilewright.sm90;

import tilewright.kernels.epilogue.Epilogue;

/**
 * What is fixed of C when a Hopper GEMM is traced.
 *
 * @param epilogue what C's elements are
 * @param alongN whether C's neighbours run along n (else along m)
 * @param neighbours along n that the epilogue reads at once: 2 where that is aligned, else 1
 * @param copies whether tensor copies reach the matrices that the epilogue reads
 */
public record OutputForm(Epilogue epilogue, boolean alongN, int neighbours, boolean copies) {}
