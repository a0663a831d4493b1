package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.merging.MergedState;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.library.AttentionKernels;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.Buffers;

/** Attention on a prefix that all sequences share and on each one's own keys, merged: attention on all keys. */
class SharedPrefixTest {
  private static final ElementType TYPE = ElementType.F16;
  private static final int BATCH = 2;
  private static final int QUERIES = 3;
  private static final int HEADS = 2;
  private static final int DIM = 64;
  private static final int PREFIX = 40;
  /** A rounding of each part's O and of the result, which are below 4. */
  private static final double TOLERANCE = 4e-3;
  private static final double LOG_TOLERANCE = 1e-5;

  @ParameterizedTest
  @ValueSource(ints = {0, 70})
  void partsMakeTheWhole(int own) {
    var buffers = buffers(own);
    var states = PartialStates.dense(TYPE, sizes(0), 2);
    run(buffers, part(states, 0, "prefix", PREFIX, true), part(states, 1, "own", own, false),
        StateMerge.prepare(states, MergedState.dense(TYPE, sizes(0)), Target.SM80));
    check(buffers, own, MergedState.dense(TYPE, sizes(0)));
  }

  @Test
  void theResultMayTakeTheFirstPartsPlace() {
    var buffers = buffers(70);
    var states = PartialStates.dense(TYPE, sizes(0), 2);
    var into = new MergedState(TYPE, states.viewO(0), Optional.of(states.viewLse(0)), Optional.empty());
    run(buffers, part(states, 0, "prefix", PREFIX, true), part(states, 1, "own", 70, false),
        StateMerge.prepare(states, into, Target.SM90A));
    check(buffers, 70, into);
  }

  @Test
  void whatCannotBeMergedIsRefused() {
    refused("cannot merge states of e4m3: f32, f16 or bf16", () -> PartialStates.dense(ElementType.E4M3, sizes(0), 2));
    refused("invalid number of states -1: at least 0", () -> PartialStates.dense(TYPE, sizes(0), -1));
    for (int dim : new int[] {12, 1032}) {
      var s = new Sizes(1, 1, 0, 1, 1, dim, dim);
      refused("cannot merge rows of " + dim + " columns: a multiple of 8, at most 1024", () ->
          StateMerge.prepare(PartialStates.dense(TYPE, s, 2), MergedState.dense(TYPE, s), Target.SM80));
    }
  }

  private static void refused(String message, Runnable asked) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, asked::run).getMessage());
  }

  private static Sizes sizes(int keys) {
    return Sizes.of(BATCH, QUERIES, keys, HEADS, DIM);
  }

  /** Attention on some of the keys, which leaves a state; all sequences share a prefix. */
  private static PreparedLaunch part(PartialStates states, int state, String name, int keys, boolean shared) {
    var q = View.bshd("Q", QUERIES, HEADS, DIM);
    return Attention.forward(TYPE, sizes(keys)).tensors(q, keys("K " + name, keys, shared),
        keys("V " + name, keys, shared), states.viewO(state)).logSumExp(Optional.of(states.viewLse(state)))
        .prepare(AttentionKernels.builtIn().of(80));
  }

  private static View keys(String buffer, int keys, boolean shared) {
    var view = View.bshd(buffer, keys, HEADS, DIM);
    return new View(buffer, 0, shared ? 0 : view.batch(), view.sequence(), view.head(), 1);
  }

  private static Map<String, MemorySegment> buffers(int own) {
    int rows = BATCH * QUERIES * HEADS;
    var buffers = new HashMap<String, MemorySegment>();
    buffers.put("Q", Buffers.normal(TYPE, rows * DIM, 1));
    for (var name : List.of("K", "V")) {
      buffers.put(name + " prefix", Buffers.normal(TYPE, PREFIX * HEADS * DIM, name.charAt(0)));
      buffers.put(name + " own", Buffers.normal(TYPE, Math.max(1, BATCH * own * HEADS * DIM), name.charAt(0) + 1));
    }
    buffers.put("partialO", Buffers.poisoned(TYPE, 2L * rows * DIM));
    buffers.put("partialLSE", Buffers.poisoned(ElementType.F32, 2L * rows));
    buffers.put("O", Buffers.poisoned(TYPE, (long) rows * DIM));
    buffers.put("LSE", Buffers.poisoned(ElementType.F32, rows));
    return buffers;
  }

  private static void run(Map<String, MemorySegment> buffers, PreparedLaunch... launches) {
    for (var launch : launches) {
      var result = Simulator.load(launch.kernel().module())
          .run(launch.on(buffers), SimulatorOptions.defaults().withSanitizer(true).withSeed(3));
      assertEquals(List.of(), result.findings());
    }
  }

  /** The definition on all keys, in FP64. */
  private static void check(Map<String, MemorySegment> buffers, int own, MergedState result) {
    var o = flat(TYPE, buffers.get(result.o().buffer()));
    var lse = flat(ElementType.F32, buffers.get(result.lse().orElseThrow().buffer()));
    var q = flat(TYPE, buffers.get("Q"));
    for (int row = 0; row < BATCH * QUERIES * HEADS; row++) {
      int head = row % HEADS;
      int query = row / HEADS % QUERIES;
      int entry = row / HEADS / QUERIES;
      var expected = new double[DIM];
      double sum = 0;
      for (int key = 0; key < PREFIX + own; key++) {
        boolean shared = key < PREFIX;
        int at = ((shared ? key : entry * own + key - PREFIX) * HEADS + head) * DIM;
        var suffix = shared ? " prefix" : " own";
        double score = 0;
        for (int d = 0; d < DIM; d++) {
          score += q.value(row * DIM + d) * flat(TYPE, buffers.get("K" + suffix)).value(at + d);
        }
        double weight = Math.exp(score / Math.sqrt(DIM));
        sum += weight;
        for (int d = 0; d < DIM; d++) expected[d] += weight * flat(TYPE, buffers.get("V" + suffix)).value(at + d);
      }
      assertEquals(Math.log(sum), lse.value((entry * HEADS + head) * QUERIES + query), LOG_TOLERANCE);
      for (int d = 0; d < DIM; d++) {
        double ours = o.value(row * DIM + d);
        assertTrue(Math.abs(ours - expected[d] / sum) <= TOLERANCE, row + ", " + d + ": " + ours + " for "
            + expected[d] / sum);
      }
    }
  }

  private static TensorView flat(ElementType type, MemorySegment buffer) {
    return new TensorView(type, buffer, Layout.of(buffer.byteSize() / type.bytes(), 1));
  }
}
