package tilewright.kernels.catalogue;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Every family of the catalogue. */
public final class Families {
  private Families() {}

  public static List<Family> all() {
    return Stream.concat(Arrays.stream(Pointwise.values()).map(Elementwise::family),
        Stream.of(Softmax.FAMILY, LayerNorm.FAMILY, RmsNorm.FAMILY, Total.sum(), Total.dot(), RowSum.FAMILY, ByteSum.FAMILY,
            MatrixTranspose.FAMILY, Embedding.FAMILY, Histogram.FAMILY, Gemv.FAMILY)).toList();
  }

  public static Optional<Family> named(String name) {
    return all().stream().filter(f -> f.name().equals(name)).findFirst();
  }

  /** How many kernels there are, counting every combination of options. */
  public static int variants() {
    return all().stream().mapToInt(f -> f.variants().size()).sum();
  }
}
