package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;

/** What the sanitizer says of {@code wgmma} that are not fenced or not waited for. */
class WgmmaHazardsTest {
  private static final WgmmaKernel KERNEL =
      new WgmmaKernel("m64n16k16.f32.bf16.bf16", 8, true, -1, "1, 1, 0");
  private static final SharedImage IMAGE = SharedImage.of(0, 128, true, 16, 16, 16);

  private static String right() {
    return KERNEL.ptx(4096, "");
  }

  private static SimulationResult run(String ptx, SimulatorOptions options) {
    var inputs = new WgmmaKernel.Inputs(new byte[4096], 0, IMAGE.descriptor(), new int[512], new int[0],
        new int[1024], true);
    return KERNEL.result(ptx, inputs, new int[1024], options);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3})
  void aKernelWithFenceAndWaitIsClean(long seed) {
    assertEquals(List.of(), run(right(), Kernels.SANITIZED.withSeed(seed)).findings());
  }

  @ParameterizedTest
  @CsvSource({"'mov.f32 %x3, 0f00000000;', sums, write", "'st.global.f32 [%own], %x7;', sums, read",
      "'mov.b32 %a2, 0;', a factor, write",
      "'setp.eq.u32 %more, %t, %t; @%more mov.f32 %x0, 0f00000000;', sums, write"})
  void accessToARegisterInFlightIsFound(String access, String what, String how) {
    var result = run(KERNEL.ptx(4096, access), Kernels.SANITIZED);
    assertEquals(List.of(Finding.Kind.REGISTER_IN_FLIGHT), Kernels.kinds(result), result.findings().toString());
    var message = result.findings().getFirst().message();
    assertTrue(message.contains(what) && message.contains(how), message);
  }

  @Test
  void metadataThatAreOverwrittenInFlightAreFound() {
    var sparse = new WgmmaKernel("m64n16k32.f32.bf16.bf16", 8, true, 0, "1, 1, 0");
    var image = SharedImage.of(0, 128, true, 16, 16, 32);
    var inputs = new WgmmaKernel.Inputs(new byte[4096], 0, image.descriptor(), new int[512],
        IntStream.generate(() -> 0x44444444).limit(WgmmaKernel.THREADS).toArray(), new int[1024], true);
    assertEquals(List.of(), sparse.result(sparse.ptx(4096, ""), inputs, new int[1024], Kernels.SANITIZED).findings());
    var result = sparse.result(sparse.ptx(4096, "mov.b32 %meta, 0;"), inputs, new int[1024], Kernels.SANITIZED);
    assertEquals(List.of(Finding.Kind.REGISTER_IN_FLIGHT), Kernels.kinds(result), result.findings().toString());
    var message = result.findings().getFirst().message();
    assertTrue(message.contains("write a register that holds metadata"), message);
  }

  @Test
  void readingAFactorOfAnOperationInFlightIsNoHazard() {
    assertEquals(List.of(), run(KERNEL.ptx(4096, "mov.b32 %v, %a2;"), Kernels.SANITIZED).findings());
  }

  @Test
  void aGuardedAccessThatDoesNotHappenIsNoHazard() {
    var access = "setp.ne.u32 %more, %t, %t;\n@%more mov.f32 %x0, 0f00000000;";
    assertEquals(List.of(), run(KERNEL.ptx(4096, access), Kernels.SANITIZED).findings());
  }

  @Test
  void aFirstWgmmaWithoutFenceIsFound() {
    var result = run(right().replace("wgmma.fence.sync.aligned;", ""), Kernels.SANITIZED);
    assertEquals(List.of(Finding.Kind.MISSING_FENCE), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("first wgmma"), result.findings().toString());
  }

  @Test
  void aRegisterWrittenAfterTheFenceIsFound() {
    var result = run(right().replace("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned;\nadd.f32 %x5, %x5, %x5;"),
        Kernels.SANITIZED);
    assertEquals(List.of(Finding.Kind.MISSING_FENCE), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    assertTrue(message.contains("add.f32 %x5"), message);
  }

  @Test
  void aWaitForTooFewGroupsIsFound() {
    var result = run(right().replace("wait_group.sync.aligned 0", "wait_group.sync.aligned 1"), Kernels.SANITIZED);
    assertTrue(Kernels.kinds(result).contains(Finding.Kind.REGISTER_IN_FLIGHT), result.findings().toString());
  }

  @Test
  void writingSharedMemoryBeforeTheWaitIsARace() {
    var result = run(KERNEL.ptx(4096, "add.u32 %s, %to, 16;\nst.shared.b32 [%s], %v;"), Kernels.SANITIZED);
    assertTrue(Kernels.kinds(result).contains(Finding.Kind.RACE), result.findings().toString());
  }

  @Test
  void aMissingBarrierBeforeTheMatricesAreReadIsARace() {
    var result = run(right().replace("bar.sync 0;", ""), Kernels.SANITIZED);
    assertTrue(Kernels.kinds(result).contains(Finding.Kind.RACE), result.findings().toString());
  }

  @Test
  void aWarpThatStaysAwayIsNamed() {
    var ptx = right().replace("wgmma.fence.sync.aligned;",
        "setp.ge.u32 %more, %t, 96;\n@%more exit;\nwgmma.fence.sync.aligned;");
    var finding = run(ptx, Kernels.PLAIN).findings().getFirst();
    assertEquals(Finding.Kind.DEADLOCK, finding.kind());
    assertTrue(finding.message().contains("warp 3"), finding.message());
  }

  @Test
  void warpsThatDisagreeAreAnError() {
    var ptx = right().replace("setp.ne.s32 %scale, %v, 0;", "setp.ge.u32 %scale, %t, 32;");
    var finding = run(ptx, Kernels.PLAIN).findings().getFirst();
    assertEquals(Finding.Kind.INVALID_OPERATION, finding.kind());
    assertTrue(finding.message().contains("another scale-d"), finding.message());
    var lanes = run(right().replace("setp.ne.s32 %scale, %v, 0;", "setp.ge.u32 %scale, %t, 31;"), Kernels.PLAIN);
    assertTrue(lanes.findings().getFirst().message().contains("between its warp's lanes"), lanes.toString());
  }

  @Test
  void aBlockWithoutAWholeWarpgroupIsAnError() {
    var result = Kernels.run(right(), Dim3.ONE, Dim3.of(96), 0, Kernels.PLAIN, new byte[4096], new long[3],
        new int[640], new int[1024]);
    assertTrue(result.findings().getFirst().message().contains("fewer than 128 threads"), result.toString());
  }

  @Test
  void aMatrixBeyondSharedMemoryIsOutOfBounds() {
    var inputs = new WgmmaKernel.Inputs(new byte[4096], 0, IMAGE.descriptor() + (4096 - 512 >> 4), new int[512],
        new int[0], new int[1024], true);
    var result = KERNEL.result(right(), inputs, new int[1024], Kernels.PLAIN);
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS), Kernels.kinds(result));
  }
}
