package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorElement;

/** From tensor copies through tcgen05.mma, commit and ld to a tensor store, on one SM and on a pair. */
class Tcgen05GemmTest {
  private static final int M = 256 - 57;
  private static final int N = 2 * 64 - 28;
  private static final int K = 5 * 64 - 24;

  static Witness gemm(int ctas) {
    var product = Product.random(M, N, K);
    int shared = 3 * (16384 + 8192 / ctas) + 32768 + 64;
    var launch = new Launch(Witness.ptx("tcgen05_gemm"), ctas == 1 ? "single" : "pair",
        new Dim3(2, Math.ceilDiv(N, 64), 1), Dim3.of(192), Dim3.of(ctas), shared,
        Map.of("a", MemorySegment.ofArray(product.a()), "b", MemorySegment.ofArray(product.b()),
            "c", MemorySegment.ofArray(new float[M * N])),
        List.of(Maps.swizzled("a", TensorElement.BF16, K, M, 64, 128),
            Maps.swizzled("b", TensorElement.BF16, K, N, 64, 64 / ctas),
            Maps.matrix("c", TensorElement.F32, N, M, 64, 128), Argument.u32(Math.ceilDiv(K, 64))));
    return new Witness(launch, Map.of("c", product.expected(100)));
  }

  @Test
  void oneSmAddsUpAsTensorCoresDo() {
    gemm(1).underSeeds(20);
  }

  @Test
  void aPairOfSmsMultipliesTogether() {
    gemm(2).underSeeds(20);
  }

  @Test
  @Tag("gpu")
  void theSameOnAGpu() {
    gemm(1).onGpu(100);
    gemm(2).onGpu(100);
  }
}
