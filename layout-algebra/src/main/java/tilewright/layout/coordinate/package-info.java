/**
 * Layouts whose offsets are coordinates: basis strides, as in {@code (4,8):(1@0,1@1)}.
 */
package tilewright.layout.coordinate;
