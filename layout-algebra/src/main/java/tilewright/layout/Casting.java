package tilewright.layout;

/** Information that a layout may lose when its elements become wider or narrower. */
public enum Casting {
  /** Nothing: every vector is wholly made of the layout's elements, so that a downcast would bring them back. */
  LOSSLESS,
  /** Each address is that of its element; the last vector of a mode may reach beyond the mode's elements. */
  EXACT,
  /** CuTe C++: addresses may merge, every mode of stride 1 is widened. Its certificate holds where it is exact. */
  CUTE
}
