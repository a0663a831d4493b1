package tilewright.layout.draw;

/** The sign between two panels of a picture. */
public enum Joint {
  /** Nothing. */
  NONE,
  /** An arrow from the first panel to the second, which takes what the first gives. */
  ARROW,
  /** A sign that the second panel is the result of those before it. */
  EQUALS
}
