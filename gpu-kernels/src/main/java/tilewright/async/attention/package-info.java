/** The tensors of attention as tensor copies see them: fixed or packed sequences, heads apart or interleaved. */
package tilewright.async.attention;
