/**
 * Linear maps on bits: matrices over the field of two elements, and the swizzles among them.
 */
package tilewright.layout.f2;
