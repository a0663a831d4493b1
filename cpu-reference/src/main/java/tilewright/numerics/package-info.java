/** Number formats, their conversions with one correct rounding, and the arithmetic of tensor cores bit for bit. */
package tilewright.numerics;
