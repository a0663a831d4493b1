package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import tilewright.kernel.collective.attention.CapturedTensor;
import tilewright.kernel.collective.attention.Captures;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.numerics.ElementType;
import tilewright.reference.ScoreRule;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.AttentionBackwardCases;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;

/**
 * Attention that skips blocks by lists and whose functions read data of the launch: a bias of each pair, and how many
 * keys each query sees. Some tiles see blocks in part and whole, some only whole blocks.
 */
final class CapturedForms {
  private static final CapturedTensor BIAS = CapturedTensor.of("bias", ElementType.F32, 2);
  private static final CapturedTensor SEEN = CapturedTensor.of("seen", ElementType.I32, 1);
  private static final int TILE = 256;
  private static final long SEED = 9;

  private CapturedForms() {}

  /** Returns a problem with these functions, skipping blocks. */
  static AttentionProblem of(AttentionProblem problem) {
    int queries = queries(problem);
    int keys = problem.sizes().keys();
    var captures = Captures.NONE.and(Captures.Given.dense(BIAS, queries, keys))
        .and(Captures.Given.dense(SEEN, queries));
    return problem.with(Modification.NONE.then((score, b, h, q, k) -> score.plus(BIAS.at(q, k)))
        .and((b, h, q, k) -> k.lessThan(SEEN.integerAt(q)))
        .with(captures)).skipping();
  }

  /** Returns the gradients of such a problem, with that of the bias. */
  static AttentionBackwardCases.Setup gradients(AttentionProblem dense, int[] queries, int[] keys) {
    var problem = AttentionBackwardProblem.dense(of(dense)).differentiating("bias");
    return new AttentionBackwardCases.Setup(setup(problem.forward(), queries, keys), problem);
  }

  /** Returns the gradients of such a problem, added up in a fixed order, without that of the bias. */
  static AttentionBackwardCases.Setup inOrder(AttentionProblem dense, int[] queries, int[] keys) {
    var problem = AttentionBackwardProblem.dense(of(dense)).deterministic(true);
    return new AttentionBackwardCases.Setup(setup(problem.forward(), queries, keys), problem);
  }

  private static int queries(AttentionProblem problem) {
    return problem.packed().map(Packed::longest).orElse(problem.sizes().queries());
  }

  /** Returns such a problem with the numbers that its functions read; lengths of sequences where they are packed. */
  static AttentionCases.Setup setup(AttentionProblem problem, int[] queries, int[] keys) {
    int longest = queries(problem);
    int all = problem.sizes().keys();
    var random = new Random(SEED);
    var bias = IntStream.range(0, longest * all).mapToDouble(_ -> (float) random.nextGaussian()).toArray();
    var seen = IntStream.range(0, longest).mapToDouble(CapturedForms::seen).toArray();
    var rule = ScoreRule.mask((b, h, q, k) -> k < seen(q)).and(ScoreRule.bias((b, h, q, k) -> bias[q * all + k]));
    return new AttentionCases.Setup("captured data and lists", problem, (_, _, _) -> rule, queries, keys,
        Map.of("bias", bias, "seen", seen));
  }

  /** The number of keys that a query sees. */
  private static int seen(int query) {
    return query < TILE ? Math.max(64, query + 1) : query < 2 * TILE ? 192 : 70;
  }

  /** Adds lists of blocks in given tiles to a launch's buffers. */
  static void makeLists(BlockMask mask, Map<String, MemorySegment> buffers) {
    for (var name : BlockMask.BUFFERS) buffers.put(name, Buffers.poisoned(ElementType.I32, mask.elements()));
    assertEquals(List.of(), new SimulatorBackend(1).run(mask.prepare().on(buffers)).findings());
  }
}
