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
import tilewright.simulator.witness.WgmmaGemm;

/** Warp-specialised GEMMs of clusters: multicast tensor copies, mbarriers, setmaxnreg, wgmma, a tensor store. */
class WgmmaGemmTest {
  private static final int M = 256 - 57;
  private static final int N = 2 * 64 - 28;
  private static final int K = 5 * 64 - 24;
  private static final int SHARED = 3 * 24576 + 32768 + 48;

  static Witness gemm() {
    var product = Product.random(M, N, K);
    var launch = new Launch(Witness.ptx("wgmma_gemm"), "gemm",
        new Dim3(2, Math.ceilDiv(N, 64), 1), Dim3.of(384), Dim3.of(2), SHARED,
        Map.of("a", MemorySegment.ofArray(product.a()), "b", MemorySegment.ofArray(product.b()),
            "c", MemorySegment.ofArray(new float[M * N])),
        List.of(Maps.swizzled("a", TensorElement.BF16, K, M, 64, 128),
            Maps.swizzled("b", TensorElement.BF16, K, N, 64, 32), Maps.matrix("c", TensorElement.F32, N, M, 64, 64),
            Argument.u32(Math.ceilDiv(K, 64))));
    return new Witness(launch, Map.of("c", product.expected(90)));
  }

  /** The kernel in PTX by hand that whole tiles are timed with. */
  private static Witness handWritten() {
    var product = Product.random(256, 128, 5 * 64);
    var launch = WgmmaGemm.launch(product.m(), product.n(), product.k(), MemorySegment.ofArray(product.a()),
        MemorySegment.ofArray(product.b()), MemorySegment.ofArray(new float[product.m() * product.n()]));
    return new Witness(launch, Map.of("c", product.expected(90)));
  }

  @Test
  void everySumIsThatOfTensorCores() {
    gemm().underSeeds(20);
  }

  @Test
  void soIsEverySumOfTheKernelByHand() {
    handWritten().underSeeds(20);
  }

  @Test
  void anH200LeftTheseBits() {
    gemm().wasRecorded("wgmma_gemm");
  }

  @Test
  @Tag("gpu")
  void theSameOnAGpu() {
    gemm().onGpu(90);
    handWritten().onGpu(90);
  }
}
