package tilewright.cli.wheel;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;

/** D (L,M,N) = epilogue(alpha · A (L,M,K) · B (L,N,K)ᵀ) on tensor cores, of 16-bit types: see {@link GemmKind}. */
final class GemmOperator implements PackagedOperator {
  private static final List<String> ORDERS = List.of("TN", "TT", "NT", "NN");
  /** Epilogues that go with every type and order. */
  private static final Set<GemmEpilogue> COMMON = Set.of(GemmEpilogue.PLAIN, GemmEpilogue.RESIDUAL);

  @Override
  public String name() {
    return "gemm";
  }

  @Override
  public Stream<OperatorCase> cases(int capability) {
    var machine = GemmMachine.of(capability);
    return Stream.of(ElementType.BF16, ElementType.F16).flatMap(type -> ORDERS.stream().flatMap(order ->
        Arrays.stream(GemmEpilogue.values()).filter(epilogue -> isPackaged(type, order, epilogue))
            .map(epilogue -> machine.toCase(
                type.text() + "-" + order.toLowerCase(Locale.ROOT) + "-" + epilogue.text(),
                new GemmKind(GemmTypes.of(type, type), order, epilogue, true)))));
  }

  /** Activations are for BF16, and vectors for operands along K, to keep the package small. */
  private static boolean isPackaged(ElementType type, String order, GemmEpilogue epilogue) {
    return COMMON.contains(epilogue) || order.equals("TN") && (epilogue == GemmEpilogue.BIAS
        || type == ElementType.BF16 && epilogue.compareTo(GemmEpilogue.RESIDUAL) < 0);
  }
}
