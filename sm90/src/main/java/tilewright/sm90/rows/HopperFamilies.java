package tilewright.sm90.rows;

import java.util.List;
import java.util.Optional;
import tilewright.kernels.catalogue.Families;
import tilewright.kernels.catalogue.Family;

/** The catalogue with the kernels that only Hopper has: long rows of some families are streamed. */
public final class HopperFamilies {
  private HopperFamilies() {}

  public static List<Family> all() {
    return Families.all().stream().map(HopperFamilies::withHopper).toList();
  }

  public static Optional<Family> named(String name) {
    return all().stream().filter(f -> f.name().equals(name)).findFirst();
  }

  private static Family withHopper(Family family) {
    return switch (family.name()) {
      case "softmax" -> new StreamedFamily(family, new SoftmaxRows(), "method", "online");
      case "layer_norm" -> new StreamedFamily(family, new LayerNormRows(), "acc", "f32");
      case "rms_norm" -> new StreamedFamily(family, new RmsNormRows(), "acc", "f32");
      default -> family;
    };
  }
}
