package tilewright.kernels.catalogue;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Every family of the catalogue. */
public final class Families {
  private Families() {}

  public static List<Family> all() {
    var pointwise = Arrays.stream(Pointwise.values()).map(Elementwise::family);
    return Stream.of(pointwise, Stream.of(
        Total.sum(), Total.dot(), RowSum.FAMILY, ByteSum.FAMILY,
        Softmax.FAMILY, GridSoftmax.FAMILY, LayerNorm.FAMILY, RmsNorm.FAMILY, Gemv.FAMILY,
        MatrixTranspose.FAMILY, Rope.FAMILY, Embedding.FAMILY, Histogram.FAMILY, Nms.FAMILY,
        SimtGemm.singles(), SimtGemm.halves(), Tf32Gemm.FAMILY, MmaGemm.FAMILY),
        MmaAttention.families()).flatMap(families -> families).toList();
  }

  public static Optional<Family> named(String name) {
    return all().stream().filter(f -> f.name().equals(name)).findFirst();
  }

  /** How many kernels there are, counting every combination of options. */
  public static int variants() {
    return all().stream().mapToInt(f -> f.variants().size()).sum();
  }
}
