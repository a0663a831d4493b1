package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.SoftcapAtLaunch;
import tilewright.kernels.attention.AttentionBackwardKernel;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.kernels.attention.backward.Sm80AttentionBackwardKernel;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;

/** Windows and caps whose numbers are arguments give the bits of those whose numbers are in the kernel. */
class NumbersAtLaunchTest {
  private static final long SEED = 29;
  private static final float CAP = 3;
  private static final Modification NONE = Modification.NONE;
  private static final Sizes SIZES = new Sizes(1, 77, 131, 4, 2, 64, 64);
  private static final List<int[]> WINDOWS = List.of(new int[] {40, 3}, new int[] {0, 0},
      new int[] {Integer.MAX_VALUE, 0}, new int[] {20, Integer.MAX_VALUE});
  private static final List<AttentionKernel> FORWARD = List.of(new Sm80AttentionKernel(), new Sm90AttentionKernel());
  private static final List<AttentionBackwardKernel> BACKWARD = List.of(new Sm80AttentionBackwardKernel(),
      new Sm90AttentionBackwardKernel());

  @TestFactory
  Stream<DynamicTest> outputsAreTheSame() {
    return FORWARD.stream().flatMap(kernel -> WINDOWS.stream().map(window -> DynamicTest.dynamicTest(
        kernel.name() + " " + window[0] + "," + window[1], () -> assertSame(outputs(kernel, constant(window), NONE),
            outputs(kernel, Band.windowAtLaunch(window[0], window[1]), NONE), "O", "LSE"))));
  }

  @TestFactory
  Stream<DynamicTest> gradientsAreTheSame() {
    return BACKWARD.stream().flatMap(kernel -> WINDOWS.stream().map(window -> DynamicTest.dynamicTest(
        kernel.name() + " " + window[0] + "," + window[1], () -> assertSame(gradients(kernel, constant(window), NONE),
            gradients(kernel, Band.windowAtLaunch(window[0], window[1]), NONE), "dQ", "dK", "dV"))));
  }

  @TestFactory
  Stream<DynamicTest> capsAreTheSame() {
    var constant = NONE.then(ScoreMod.softcap(CAP));
    var given = SoftcapAtLaunch.of(CAP);
    return Stream.concat(FORWARD.stream().map(kernel -> DynamicTest.dynamicTest(kernel.name(), () ->
        assertSame(outputs(kernel, Band.CAUSAL, constant), outputs(kernel, Band.CAUSAL, given), "O", "LSE"))),
        BACKWARD.stream().map(kernel -> DynamicTest.dynamicTest(kernel.name(), () -> assertSame(
            gradients(kernel, Band.CAUSAL, constant), gradients(kernel, Band.CAUSAL, given), "dQ", "dK", "dV"))));
  }

  @Test
  void oneKernelServesEveryWindow() {
    for (var kernel : FORWARD) {
      var traced = new HashSet<String>();
      for (var window : WINDOWS.subList(0, 2)) {
        var setup = AttentionCases.band(ElementType.BF16, SIZES, Band.windowAtLaunch(window[0], window[1]));
        traced.add(kernel.prepare(setup.problem()).kernel().ptx());
      }
      assertEquals(1, traced.size(), kernel.name());
    }
  }

  /** Numbers that fit the arithmetic of kernels: beyond the sequences all are as far. */
  private static Band constant(int[] window) {
    return Band.window(Math.min(window[0], 1 << 20), Math.min(window[1], 1 << 20));
  }

  private static AttentionCases.Setup setup(Band band, Modification changed) {
    var plain = AttentionCases.band(ElementType.BF16, SIZES, band);
    return new AttentionCases.Setup(plain.name(), plain.problem().with(changed), plain.rules());
  }

  private static Map<String, MemorySegment> outputs(AttentionKernel kernel, Band band, Modification changed) {
    var setup = setup(band, changed);
    var buffers = AttentionCases.buffers(kernel, setup, SEED);
    assertEquals(List.of(), new SimulatorBackend(SEED).run(kernel.prepare(setup.problem()).on(buffers)).findings());
    return buffers;
  }

  private static Map<String, MemorySegment> gradients(AttentionBackwardKernel kernel, Band band,
      Modification changed) {
    var setup = AttentionBackwardCases.setup(setup(band, changed), true);
    var buffers = AttentionBackwardCases.buffers(kernel, setup, SEED);
    for (var launch : kernel.prepare(setup.problem()).on(buffers)) {
      assertEquals(List.of(), new SimulatorBackend(SEED).run(launch).findings());
    }
    return buffers;
  }

  private static void assertSame(Map<String, MemorySegment> wanted, Map<String, MemorySegment> found, String... names) {
    for (var name : names) {
      assertArrayEquals(wanted.get(name).toArray(ValueLayout.JAVA_BYTE), found.get(name).toArray(ValueLayout.JAVA_BYTE),
          name);
    }
  }
}
