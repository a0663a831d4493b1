package tilewright.sm90.rows;

import tilewright.kernels.registry.Family;

/** The families of the catalogue whose long rows Hopper streams. */
public final class StreamedRowFamilies {
  private StreamedRowFamilies() {}

  /** A family with the kernels that only Hopper has, or as it is where there are none. */
  public static Family withStreams(Family family) {
    return switch (family.name()) {
      case "softmax" -> new StreamedFamily(family, new SoftmaxRows(), "method", "online", true);
      case "layer_norm" -> new StreamedFamily(family, new LayerNormRows(), "acc", "f32", true);
      case "rms_norm" -> new StreamedFamily(family, new RmsNormRows(), "acc", "f32", true);
      default -> family;
    };
  }
}
