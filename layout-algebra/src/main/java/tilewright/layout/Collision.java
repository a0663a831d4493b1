package tilewright.layout;

/**
 * Two indices below the size that a layout maps to one offset: why it is not injective.
 *
 * @param first the smaller index
 * @param second the larger
 * @param offset of both, in elements
 */
public record Collision(long first, long second, long offset) {}
