/**
 * Tensor maps as data: what {@code cuTensorMapEncodeTiled}, {@code cuTensorMapEncodeIm2col} and
 * {@code cuTensorMapEncodeIm2colWide} take, and the rules that these functions hold it to.
 */
package tilewright.ptx.tensormap;
