package tilewright.cli.wheel;

import java.util.stream.Stream;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;

/**
 * D (M,N) = (SA·A (M,K)) · (SB·B (N,K))ᵀ + bias of e4m3, all by rows, with factors of tensors, of rows, or of 128 of k.
 * A key that ends in {@code -fast} sums in the tensor core alone, which keeps fewer bits.
 */
final class ScaledGemmOperator implements PackagedOperator {
  private static final int FIRST = 86;
  private static final int HOPPER = 90;

  @Override
  public String name() {
    return "scaled_gemm";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    if (capability < FIRST) return Stream.of();
    var machine = GemmMachine.of(capability);
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type ->
        Stream.of(GemmEpilogue.TENSOR, GemmEpilogue.ROW, GemmEpilogue.BLOCK).flatMap(epilogue ->
            Stream.of(Accumulation.values()).filter(way -> isPackaged(capability, type, epilogue, way)).map(way ->
                machine.toCase(type.text() + "-" + epilogue.text() + suffix(capability, way),
                    new GemmKind(new GemmTypes(ElementType.E4M3, ElementType.E4M3, type, way), "TN", epilogue,
                        false)))));
  }

  /** Only Hopper has kernels with factors of blocks, and more than one way to sum; the fast one is for BF16. */
  private static boolean isPackaged(int capability, ElementType type, GemmEpilogue epilogue, Accumulation way) {
    boolean blocks = epilogue == GemmEpilogue.BLOCK;
    if (capability != HOPPER) return !blocks && way == Accumulation.FAST;
    return switch (way) {
      case FAST -> !blocks && type == ElementType.BF16;
      case EXACT -> !blocks;
      case SCALED -> blocks;
      case F16 -> false;
    };
  }

  private static String suffix(int capability, Accumulation way) {
    return capability == HOPPER && way == Accumulation.FAST ? "-fast" : "";
  }
}
