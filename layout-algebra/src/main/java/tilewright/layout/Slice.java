package tilewright.layout;

/**
 * Part of a layout, with the offset at which it begins.
 *
 * @param layout of the coordinates left free
 * @param offset of the coordinates that are fixed, in elements
 */
public record Slice(Layout layout, long offset) {}
