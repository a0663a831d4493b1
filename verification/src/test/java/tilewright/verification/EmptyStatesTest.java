package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** A cache with room for more keys has more splits, which are empty: its rows keep their bits. */
class EmptyStatesTest {
  private static final int HEADS = 4;

  @ParameterizedTest(name = "{1} columns, {0} states")
  @CsvSource({"1, 128", "3, 128", "8, 128", "5, 512", "8, 256", "9, 64"})
  void emptyStatesChangeNoBit(int full, int valueDim) {
    assertEquals(merged(full, full, valueDim), merged(full, full + 19, valueDim));
  }

  /** The bits of O and of the logarithms. */
  private static Map<String, List<Integer>> merged(int full, int count, int valueDim) {
    var p = AttentionProblem.dense(ElementType.BF16, new Sizes(1, 1, 1, HEADS, 1, 64, valueDim));
    var random = new Random(11);
    var o = new float[count * HEADS * valueDim];
    var logs = new float[count * HEADS];
    Arrays.fill(o, Float.NaN);
    Arrays.fill(logs, Float.NEGATIVE_INFINITY);
    for (int row = 0; row < full * HEADS; row++) {
      logs[row] = (float) random.nextGaussian();
      for (int d = 0; d < valueDim; d++) o[row * valueDim + d] = (float) random.nextGaussian();
    }
    var results = new short[HEADS * valueDim];
    var sums = new float[HEADS];
    var buffers = new HashMap<>(Map.of("partialO", MemorySegment.ofArray(o), "partialLSE",
        MemorySegment.ofArray(logs), "O", MemorySegment.ofArray(results), "LSE", MemorySegment.ofArray(sums)));
    var launch = StateMerge.prepare(p, PartialStates.ofSplits(p, count), Target.SM90A);
    var run = Simulator.load(launch.kernel().module())
        .run(launch.on(buffers), SimulatorOptions.defaults().withSanitizer(true));
    assertEquals(List.of(), run.findings());
    var bits = new Integer[results.length];
    for (int i = 0; i < bits.length; i++) bits[i] = (int) results[i];
    var bitsOfSums = new Integer[HEADS];
    for (int i = 0; i < HEADS; i++) bitsOfSums[i] = Float.floatToRawIntBits(sums[i]);
    return Map.of("O", List.of(bits), "LSE", List.of(bitsOfSums));
  }
}
