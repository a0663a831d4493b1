package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;

/** Each missing wait or fence around Tensor Memory is found, whatever the schedule, and complete kernels are clean. */
class TensorSanitizerTest {
  private static final String STORE = "  tcgen05.st.sync.aligned.32x32b.x8.b32 [%r2], "
      + Blackwell.vector("%v", 8) + ";\n";
  private static final String WAIT_STORE = "  tcgen05.wait::st.sync.aligned;\n";
  private static final String LOAD = "  tcgen05.ld.sync.aligned.32x32b.x8.b32 " + Blackwell.vector("%v", 8)
      + ", [%r2];\n";
  private static final String WAIT_LOAD = "  tcgen05.wait::ld.sync.aligned;\n";
  private static final String USE = "  add.u32 %r7, %v3, %v4;\n";
  private static final String AFTER = "  tcgen05.fence::after_thread_sync;\n";
  private static final String BEFORE = "  tcgen05.fence::before_thread_sync;\n";
  private static final String SYNC = "  bar.sync 0;\n";

  /** Multiplies two matrices of zeros, of one row of 32 bytes each. */
  private static String multiply(String enable) {
    return """
          setp.ne.u32 %q4, %t, 0;
          @%q4 bra ISSUED;
          mov.b64 %l10, 0x0000401000084040;
          mov.b32 %r10, 0x08020010;
          tcgen05.mma.cta_group::1.kind::f16 [%tm], %l10, %l10, %r10, ENABLE;
          COMMIT
        ISSUED:
        """.replace("ENABLE", enable);
  }

  private static final String COMMIT = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];";
  private static final String WAIT = """
        WAIT:
          mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %q6, [%r1], 0;
          @!%q6 bra WAIT;
        """;

  private static String committed() {
    return multiply("%q0").replace("COMMIT", COMMIT);
  }

  private static SimulationResult run(String body, long seed) {
    var start = """
          add.u32 %r1, %sm, 16;
          setp.ne.u32 %q4, %t, 0;
          setp.ne.u32 %q0, %t, %t;
          setp.eq.u32 %q1, %t, %t;
          shl.b32 %r3, %t, 6;
          add.u32 %r3, %r3, %sm;
          mov.u32 %v0, 0;
          mov.u32 %r4, 0;
        ZERO:
          st.shared.b32 [%r3+1024], %v0;
          add.u32 %r3, %r3, 4;
          add.u32 %r4, %r4, 4;
          setp.lt.u32 %q3, %r4, 64;
          @%q3 bra ZERO;
          fence.proxy.async;
          @%q4 bra READY;
          mbarrier.init.shared::cta.b64 [%r1], 1;
          fence.mbarrier_init.release.cluster;
        READY:
        """;
    var vectors = new StringBuilder();
    for (int i = 0; i < 8; i++) vectors.append("  add.u32 %v" + i + ", %t, " + i + ";\n");
    var ptx = Blackwell.kernel(1, "", start + Blackwell.allocate(32) + "  shl.b32 %r2, %w, 21;\n"
        + "  add.u32 %r2, %r2, %tm;\n" + vectors + body + Blackwell.free(32));
    return Blackwell.run(ptx, 1, 1, 128, 16384, Blackwell.SANITIZED.withSeed(seed), new int[4]);
  }

  private static void clean(String body) {
    for (long seed = 0; seed < 12; seed++) assertEquals(List.of(), run(body, seed).findings());
  }

  private static void finds(Finding.Kind kind, String part, String body) {
    for (long seed = 0; seed < 12; seed++) {
      var findings = run(body, seed).findings();
      assertTrue(findings.stream().anyMatch(f -> f.kind() == kind && f.message().contains(part)),
          kind + " " + part + ", seed " + seed + ": " + findings);
    }
  }

  @Test
  void completeKernelsAreClean() {
    clean(STORE + WAIT_STORE + LOAD + WAIT_LOAD + USE);
    clean(committed() + WAIT + AFTER + LOAD + WAIT_LOAD);
    clean(STORE + WAIT_STORE + BEFORE + SYNC + AFTER + multiply("%q1").replace("COMMIT", COMMIT) + WAIT + AFTER + LOAD
        + WAIT_LOAD);
    clean(committed() + WAIT + AFTER + LOAD + WAIT_LOAD + BEFORE + SYNC + AFTER + STORE + WAIT_STORE);
  }

  @Test
  void loadingAProductBeforeItIsDone() {
    finds(Finding.Kind.RACE, "with nothing that orders the two", committed() + SYNC + LOAD + WAIT_LOAD + WAIT + AFTER);
  }

  @Test
  void waitingWithoutTheFenceBehind() {
    finds(Finding.Kind.MISSING_FENCE, "ordered but for a tcgen05 fence", committed() + WAIT + LOAD + WAIT_LOAD + AFTER);
  }

  @Test
  void synchronisingWithoutTheFenceBefore() {
    finds(Finding.Kind.MISSING_FENCE, "multiplies with", STORE + WAIT_STORE + SYNC + AFTER
        + multiply("%q1").replace("COMMIT", COMMIT) + WAIT + AFTER);
  }

  @Test
  void aStoreThatNobodyWaitedFor() {
    finds(Finding.Kind.RACE, "stores to", STORE + LOAD + WAIT_LOAD + WAIT_STORE);
    finds(Finding.Kind.RACE, "multiplies with", STORE + BEFORE + SYNC + AFTER
        + multiply("%q1").replace("COMMIT", COMMIT) + WAIT + AFTER + WAIT_STORE);
  }

  @Test
  void overwritingWhatALoadStillReads() {
    finds(Finding.Kind.RACE, "loads from", STORE + WAIT_STORE + LOAD + STORE + WAIT_STORE + WAIT_LOAD);
  }

  @Test
  void registersThatALoadStillFills() {
    finds(Finding.Kind.PENDING_LOAD_READ, "before tcgen05.wait::ld", STORE + WAIT_STORE + LOAD + USE
        + WAIT_LOAD);
  }

  @Test
  void cellsThatNobodyHasWritten() {
    finds(Finding.Kind.UNINITIALIZED_READ, ", column 0, which nobody has written", LOAD + WAIT_LOAD);
    finds(Finding.Kind.UNINITIALIZED_READ, "which nobody has written",
        multiply("%q1").replace("COMMIT", COMMIT) + WAIT + AFTER);
  }

  @Test
  void freeingWhatIsStillInUse() {
    finds(Finding.Kind.RACE, "frees", STORE + WAIT_STORE + LOAD);
    finds(Finding.Kind.RACE, "frees", committed());
  }

  @ParameterizedTest
  @CsvSource({"gemm_1sm, 1, 128", "gemm_1sm, 2, 192", "gemm_2sm, 2, 192"})
  void pipelinedGemmIsClean(String name, int ctas, int depth) throws java.io.IOException {
    for (long seed = 0; seed < 4; seed++) {
      assertEquals(List.of(), TensorGemmTest.run(name, new short[128 * ctas * depth], new short[64 * depth],
          new int[128 * ctas * 64], ctas, depth, Blackwell.SANITIZED.withSeed(seed)).findings());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcgen05.fence::after_thread_sync;\n  mul.wide", "fence.proxy.async.shared::cta; bar.sync 0;",
      "fence.proxy.async.shared::cta;"})
  void gemmWithAPieceMissingIsNot(String piece) throws java.io.IOException {
    var result = TensorGemmTest.runWithout("gemm_1sm", piece, Blackwell.SANITIZED);
    assertTrue(!result.findings().isEmpty());
  }
}
