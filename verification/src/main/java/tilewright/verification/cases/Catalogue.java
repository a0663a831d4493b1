package tilewright.verification.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import tilewright.kernel.Target;
import tilewright.kernels.VectorAdd;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.Sm89AttentionKernel;
import tilewright.kernels.attention.decoding.Sm80DecodeAttentionKernel;
import tilewright.kernels.attention.decoding.Sm80MlaDecodeKernel;
import tilewright.kernels.library.AttentionBackwardDescription;
import tilewright.kernels.library.AttentionDescription;
import tilewright.kernels.library.AttentionKernels;
import tilewright.kernels.library.GemmKernel;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelDescription;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm100.attention.Sm100AttentionKernel;
import tilewright.sm90.BulkVectorAdd;

/** Every kernel on every input that it is verified on. */
public final class Catalogue {
  private Catalogue() {}

  /** All cases. */
  public static List<Case> cases(KernelRegistry registry, long seed) {
    var cases = new ArrayList<>(single(registry, seed));
    cases.addAll(EpilogueCases.hopper(seed));
    cases.addAll(NarrowCases.products(seed));
    // What only B300 has is verified where the registry is that of a B300.
    boolean deep = registry.find("sm100_narrow_gemm").filter(k -> k.target().equals(Target.SM103A)).isPresent();
    if (deep) cases.addAll(NarrowCases.deep(seed));
    cases.addAll(NarrowCases.quantizers(seed));
    var own = cases.stream().map(Case::kernel).collect(Collectors.toSet());
    registry.kernels().stream().filter(k -> !own.contains(k.name())).forEach(k -> cases.addAll(described(k, seed)));
    return cases;
  }

  /** The cases of a kernel that has none of its own: those that its description gives it. */
  private static List<Case> described(KernelDescription kernel, long seed) {
    return switch (kernel) {
      case Family family -> FamilyCases.of(family, seed);
      case GemmKernel gemm -> GemmCases.of(gemm, seed);
      case AttentionDescription attention ->
          AttentionCases.cases(new AttentionCases.Architecture(attention.kernel()), seed);
      case AttentionBackwardDescription gradients -> AttentionBackwardCases.cases(gradients.kernel(), seed);
      default -> List.of();
    };
  }

  /** Kernels that are no family. */
  public static List<Case> single(long seed) {
    return single(KernelRegistry.builtIn(), seed);
  }

  private static <T extends AttentionKernel> Optional<T> attention(KernelRegistry registry, Class<T> type) {
    return AttentionKernels.among(registry).all().stream().filter(type::isInstance).map(type::cast).findFirst();
  }

  /** Kernels that are no family, those that depend on the GPU as the registry has them. */
  private static List<Case> single(KernelRegistry registry, long seed) {
    var sm80 = attention(registry, Sm80AttentionKernel.class).orElseGet(Sm80AttentionKernel::new);
    var sm89 = attention(registry, Sm89AttentionKernel.class).orElseGet(Sm89AttentionKernel::new);
    var decoding = attention(registry, Sm80DecodeAttentionKernel.class).orElseGet(Sm80DecodeAttentionKernel::new);
    var latent = attention(registry, Sm80MlaDecodeKernel.class).orElseGet(Sm80MlaDecodeKernel::new);
    var sm100 = attention(registry, Sm100AttentionKernel.class).orElseGet(Sm100AttentionKernel::new);
    var cases = new ArrayList<Case>();
    for (long n : new long[] {0, 1, 1001, 100_000}) {
      cases.add(MemoryCases.vectorAdd("vector_add", "sm80", () -> VectorAdd.prepare(n), n, seed));
    }
    cases.addAll(MemoryCases.transposes(seed));
    cases.addAll(GemmCases.naive(seed));
    cases.addAll(GemmCases.tensorCores(gemm(registry, "sm80_gemm"), seed));
    cases.addAll(GemmCases.bytes(gemm(registry, "sm89_gemm"), seed));
    cases.addAll(GemmCases.hopper(seed));
    cases.addAll(GemmCases.hopperTiles(seed));
    cases.addAll(GemmCases.weightsAhead(seed));
    cases.addAll(GemmCases.halfSums(seed));
    cases.addAll(GemmCases.unaligned(seed));
    cases.addAll(GemmCases.ladder(seed));
    cases.addAll(Sm90TypeCases.all(seed));
    cases.addAll(AttentionCases.sm80(sm80, seed));
    cases.addAll(AttentionCases.decoding(decoding, seed));
    cases.addAll(AttentionCases.anyLatent(latent, seed));
    cases.addAll(AttentionCases.sm89(sm89, seed));
    cases.addAll(AttentionCases.sm90(seed));
    cases.addAll(AttentionCases.latent(AttentionCases.SM90_MLA.kernel(), seed));
    cases.addAll(AttentionCases.sm100(sm100, seed));
    cases.addAll(AttentionCases.sm120(seed));
    cases.addAll(Sm90TypeCases.scaled(seed));
    cases.addAll(Sm90TypeCases.grouped(seed));
    cases.addAll(Sm90TypeCases.mixed(seed));
    cases.addAll(DualCase.all(seed));
    cases.addAll(SparseCase.all(seed));
    cases.addAll(CompressionCase.all(seed));
    cases.addAll(Sm100GemmCases.all(seed));
    for (long n : new long[] {0, 4, 100_000}) {
      cases.add(MemoryCases.vectorAdd("bulk_vector_add", "sm90", () -> BulkVectorAdd.prepare(n), n, seed));
    }
    for (long n : new long[] {0, 1, 1001, 100_000}) {
      cases.add(MemoryCases.vectorAdd("packed_vector_add", "sm100", () -> PackedVectorAdd.prepare(n), n, seed));
    }
    return List.copyOf(cases);
  }

  private static GemmKernel gemm(KernelRegistry registry, String name) {
    return (GemmKernel) registry.find(name).orElseThrow();
  }
}
