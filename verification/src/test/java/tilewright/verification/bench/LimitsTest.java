package tilewright.verification.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.VectorAdd;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.registry.TimedProblem;
import tilewright.numerics.ElementType;
import tilewright.sm90.SparseGemm;

class LimitsTest {
  private static final Limits LIMITS = new Limits(Map.of(Limits.COPY, 4.0, "f32", 50.0, "bf16", 800.0));

  private static TimedProblem measured(PreparedLaunch launch, long bytes, double operations) {
    return new TimedProblem("k", "sm80", "", launch, List.of(), bytes, operations, Map.of());
  }

  private static PreparedLaunch gemm(ElementType operand) {
    var problem = GemmProblem.packed(operand, ElementType.F32, 128, 128, 128, 1, "TN");
    return operand == ElementType.F32 ? Gemm.naive(problem) : Gemm.sm80(problem);
  }

  @Test
  void movingTakesAsLongAsACopyOfTheSameBytes() {
    assertEquals(0.25, LIMITS.floorMs(measured(VectorAdd.prepare(4), 1_000_000_000, 0)), 1e-12);
  }

  @Test
  void theSlowerOfMovingAndComputingIsTheFloor() {
    assertEquals(0.25, LIMITS.floorMs(measured(gemm(ElementType.BF16), 1_000_000_000, 1e9)), 1e-12);
    assertEquals(2, LIMITS.floorMs(measured(gemm(ElementType.BF16), 1000, 1.6e12)), 1e-12);
    assertEquals(32, LIMITS.floorMs(measured(gemm(ElementType.F32), 1000, 1.6e12)), 1e-12);
  }

  /** Operations are counted as those of dense products. */
  @Test
  void ofASparseProductHalfIsComputed() {
    var types = GemmTypes.of(ElementType.BF16, ElementType.BF16);
    var launch = SparseGemm.packed(SparseGemm.problem(types, 128, 128, 128, 1, "TN")).prepare();
    assertEquals(1, LIMITS.floorMs(measured(launch, 1000, 1.6e12)), 1e-12);
  }

  @Test
  void whatWasNotMeasuredGivesNoFloor() {
    var noTensorCores = new Limits(Map.of(Limits.COPY, 4.0, "f32", 50.0));
    assertTrue(Double.isNaN(noTensorCores.floorMs(measured(gemm(ElementType.BF16), 1000, 1e9))));
  }

  @Test
  void theArithmeticFollowsFromTheInstructions() {
    assertEquals("f32", Limits.arithmetic("fma.rn.f32 %f1, %f2, %f3, %f4;"));
    assertEquals("bf16", Limits.arithmetic("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"));
    assertEquals("tf32", Limits.arithmetic("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"));
  }

  @ParameterizedTest
  @EnumSource
  void aPeakKernelAssembles(PeakKernel peak) {
    var target = peak.runsOn(80) ? "sm_80" : "sm_90a";
    var assembled = assertInstanceOf(Assembly.Assembled.class, Assembler.find().assemble(peak.ptx(), target));
    assertEquals(0, assembled.resources().getFirst().spillStoreBytes());
    assertEquals(List.of(), assembled.warnings());
  }

  /** A warp makes an mma.sync, a warpgroup of 128 threads a wgmma, a thread an fma. */
  @ParameterizedTest
  @EnumSource
  void aPeakKernelCountsWhatItsLoopHas(PeakKernel peak) {
    var loop = peak.ptx().substring(peak.ptx().indexOf("again:"), peak.ptx().indexOf("bra again"));
    double operations = 0;
    for (var line : loop.lines().toList()) {
      var shape = Pattern.compile("\\.m(\\d+)n(\\d+)k(\\d+)").matcher(line);
      if (line.startsWith("fma.")) operations += 2.0 * peak.threads();
      if (shape.find()) {
        int together = line.startsWith("wgmma") ? 128 : 32;
        operations += 2.0 * Integer.parseInt(shape.group(1)) * Integer.parseInt(shape.group(2))
            * Integer.parseInt(shape.group(3)) * peak.threads() / together;
      }
    }
    assertEquals(operations, peak.operations());
  }
}
