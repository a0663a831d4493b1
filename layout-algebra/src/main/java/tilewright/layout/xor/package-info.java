/**
 * Layouts over the field of two elements: XOR strides, and what swizzled layouts become by bits, in other widths or
 * on the other side of a layout.
 */
package tilewright.layout.xor;
