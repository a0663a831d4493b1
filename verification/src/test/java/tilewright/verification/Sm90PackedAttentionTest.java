package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.ScoreRule;
import tilewright.sm90.attention.Sm90AttentionConfig.Shape;
import tilewright.sm90.attention.Sm90AttentionKernel;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;

/** Hopper attention on sequences that lie one after the other, in tiles and blocks that reach into the next one. */
class Sm90PackedAttentionTest {
  private static final int DIM = 64;
  private static final int HEADS = 2;
  private static final int[] QUERIES = {70, 0, 64, 1, 30};
  private static final int[] KEYS = {20, 5, 33, 0, 40};
  private static final Shape SHAPE = new Shape(DIM, DIM, 1, 16, 2, 2, DIM, false);
  /** The sequence whose inputs are spoilt: of queries 70 to 133 and of keys 25 to 57. */
  private static final int SPOILT = 2;

  private static AttentionCases.Setup setup(Band band) {
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 165, 98, HEADS, DIM)).with(band)
        .with(new Packed("cuQ", "cuK", QUERIES.length, 70));
    return new AttentionCases.Setup("packed", problem, (_, q, k) -> ScoreRule.window(q, k,
        band.left().orElse(1000), band.right().orElse(1000)), QUERIES, KEYS);
  }

  /** On as many CTAs as that. */
  private static Map<String, MemorySegment> run(AttentionCases.Setup setup, Map<String, MemorySegment> buffers,
      int blocks, long seed) {
    var launch = Sm90AttentionKernel.prepare(setup.problem(), SHAPE);
    var outcome = new SimulatorBackend(seed).run(
        new PreparedLaunch(launch.kernel(), Dim3.of(blocks), launch.arguments()).on(buffers));
    assertEquals(List.of(), outcome.findings());
    return buffers;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {0, 1, 2, 3})
  void everySequenceIsTheReferences(long seed) {
    for (var band : List.of(Band.ALL, Band.CAUSAL, Band.window(9, 2))) {
      var setup = setup(band);
      var buffers = AttentionCases.buffers(setup, seed);
      run(setup, buffers, 1 + (int) seed, seed);
      assertEquals(Optional.empty(),
          AttentionCheck.compare(setup.problem(), setup.rules(), buffers, buffers).violation());
    }
  }

  /** Weights of zero do not hide what is no number. */
  @Test
  void whatIsNoNumberInOneSequenceReachesNoOther() {
    var setup = setup(Band.ALL);
    var clean = run(setup, AttentionCases.buffers(setup, 7), 2, 7);
    var spoilt = AttentionCases.buffers(setup, 7);
    for (var name : List.of("Q", "K", "V")) {
      var lengths = name.equals("Q") ? QUERIES : KEYS;
      rows(spoilt.get(name), first(lengths, SPOILT), lengths[SPOILT]).fill((byte) 0xFF);
    }
    run(setup, spoilt, 2, 7);
    for (int i = 0; i < QUERIES.length; i++) {
      if (i == SPOILT) continue;
      long different = rows(clean.get("O"), first(QUERIES, i), QUERIES[i])
          .mismatch(rows(spoilt.get("O"), first(QUERIES, i), QUERIES[i]));
      assertEquals(-1, different, "sequence " + i);
    }
  }

  private static int first(int[] lengths, int sequence) {
    int sum = 0;
    for (int i = 0; i < sequence; i++) sum += lengths[i];
    return sum;
  }

  private static MemorySegment rows(MemorySegment tensor, int first, int count) {
    long row = (long) HEADS * DIM * ElementType.BF16.bytes();
    return tensor.asSlice(first * row, count * row);
  }
}
