package tilewright.kernels.attention;

import java.util.List;
import tilewright.kernels.attention.Sm80AttentionConfig.Shape;

/** Tiles of the SM80 kernel, by head dimension. */
final class Sm80AttentionShapes {
  static final List<Shape> ALL = List.of(
      new Shape(128, 64, 32, 32, 4, 2, true, true, 2, 1, false),
      new Shape(128, 64, 64, 64, 4, 2, true, true, 2, 1, false),
      new Shape(128, 64, 96, 96, 4, 2, false, true, 2, 1, false),
      new Shape(128, 64, 128, 128, 4, 2, false, true, 2, 1, false),
      new Shape(128, 64, 192, 192, 8, 2, false, true, 1, 1, false),
      new Shape(128, 64, 256, 256, 8, 2, false, true, 1, 1, false));

  private Sm80AttentionShapes() {}
}
