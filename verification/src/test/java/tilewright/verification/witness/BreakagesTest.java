package tilewright.verification.witness;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.simulator.Finding.Kind;

/** Each witness needs its waits and fences: what is left out of the compiled text is found, whatever the schedule. */
class BreakagesTest {
  private static final String NOTHING = "";

  static Stream<Arguments> breakages() {
    return Stream.of(
        Arguments.of(DsmemReductionTest.pull(), "barrier.cluster.arrive.release;", "barrier.cluster.arrive.relaxed;",
            Kind.RACE),
        Arguments.of(DsmemReductionTest.push(), "barrier.cluster.arrive.release;", "barrier.cluster.arrive.relaxed;",
            Kind.RACE),
        Arguments.of(ClusterMulticastTest.product(), "fence.mbarrier_init.release.cluster;", NOTHING, Kind.RACE),
        Arguments.of(ClusterMulticastTest.product(), "arrive.release.cluster", "arrive.relaxed.cluster", Kind.RACE),
        Arguments.of(TmaStoreTest.doubled(), "fence.proxy.async.shared::cta;", NOTHING, Kind.MISSING_PROXY_FENCE),
        Arguments.of(WgmmaGemmTest.gemm(), "wgmma.fence.sync.aligned;", NOTHING, Kind.MISSING_FENCE),
        Arguments.of(WgmmaGemmTest.gemm(), "fence.proxy.async.shared::cta;", NOTHING, Kind.MISSING_PROXY_FENCE),
        Arguments.of(Tcgen05GemmTest.gemm(1), "tcgen05.wait::ld.sync.aligned;", NOTHING, Kind.PENDING_LOAD_READ),
        Arguments.of(Tcgen05GemmTest.gemm(2), "tcgen05.fence::after_thread_sync;", NOTHING, Kind.MISSING_FENCE),
        Arguments.of(Tcgen05GemmTest.gemm(2), "tcgen05.dealloc.cta_group::2.sync.aligned.b32", "// ",
            Kind.TENSOR_MEMORY_LEAK),
        Arguments.of(BlockScaledGemmTest.gemm(ScaledFormat.NVF4), "tcgen05.fence::after_thread_sync;", NOTHING,
            Kind.MISSING_FENCE),
        Arguments.of(ClcPersistentTest.doubled(), "fence.proxy.async.shared::cta;", NOTHING, Kind.MISSING_PROXY_FENCE));
  }

  @ParameterizedTest
  @MethodSource("breakages")
  void whatIsLeftOutIsFound(Witness witness, String piece, String replacement, Kind kind) {
    for (long seed = 0; seed < 3; seed++) {
      var findings = witness.without(piece, replacement, seed);
      assertTrue(findings.stream().anyMatch(f -> f.kind() == kind), () -> kind + " is not among " + findings);
    }
  }
}
