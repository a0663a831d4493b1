package tilewright.kernels.attention.backward;

import java.util.Collections;
import java.util.List;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.atom.Shuffle;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.numerics.ElementType;

/**
 * The numbers of each row that the gradients need (FlashAttention-2, algorithm 2, line 4): D = rowsum(O ∘ dO), and
 * LSE · log₂ e. Clears the tile's accumulators of dQ. A CTA has a tile of queries of one head.
 *
 * @param vector neighbours along the head dimension that an access moves; 1 for any strides
 * @param tileD head dimension of the accumulators
 * @param packed whether sequences lie one after the other
 * @param deterministic whether semaphores are cleared too
 */
record BackwardPreprocess(ElementType type, int vector, int tileM, int tileD, int valueDim, boolean packed,
    boolean deterministic) implements Kernel {
  private static final int THREADS = 256;
  private static final int MOST_LANES = 16;
  private static final int QUAD = 4;
  private static final float LOG2_E = 1.44269504f;

  @Override
  public String name() {
    return "attention_backward_preprocess_" + type.text() + "_d" + valueDim;
  }

  private TensorSpec spec(String name) {
    return rows(name, type, vector);
  }

  /** The specification of a tensor of rows like O's, contiguous where accesses move several elements. */
  static TensorSpec rows(String name, ElementType type, int vector) {
    var spec = TensorSpec.of(name, type, "Sq", "D" + name, "H", "B");
    return vector == 1 ? spec
        : spec.contiguous("D" + name).aligned(vector).multipleOf("D" + name, vector);
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var o = k.global(spec("O"));
    var dO = k.global(spec("dO"));
    var lse = k.global(AttentionSpecs.logSumExp());
    var tiles = QueryTiles.of(k, tileM, o.extent(0), packed);
    var logarithms = k.global(GradientWorkspace.logarithms());
    var sums = k.global(GradientWorkspace.sums());
    var accumulators = k.global(GradientWorkspace.accumulators(tileM, tileD));
    var head = k.blockY();
    var slot = k.blockX();
    // A grid of nothing has one CTA all the same.
    k.leave(o.extent(2).times(o.extent(3)).times(o.extent(0)).lessThan(1));
    var tile = tiles.tile(slot, head);
    var zero = k.constant(0);
    var entry = packed ? zero : tile.batch();
    var sequence = tiles.rows(tile.batch());

    int lanes = Math.min(MOST_LANES, Integer.highestOneBit(Math.max(1, valueDim / vector)));
    var lane = thread.modulo(lanes);
    for (int pass = 0; pass < tileM; pass += THREADS / lanes) {
      var row = thread.dividedBy(lanes).plus(pass);
      var query = tile.number().times(tileM).plus(row);
      var inO = o.part(0, sequence.firstQuery(), sequence.queries()).from(query, zero, head, entry);
      var inGradient = dO.part(0, sequence.firstQuery(), sequence.queries()).from(query, zero, head, entry);
      var exists = query.lessThan(sequence.queries());
      var sum = k.constant(0f);
      for (int column = 0; column < valueDim; column += lanes * vector) {
        var along = lane.times(vector).plus(column);
        sum = dot(sum, load(inO, along), load(inGradient, along));
      }
      for (int bit = 1; bit < lanes; bit *= 2) sum = sum.plus(Shuffle.butterfly(k, sum, bit));
      var log = log(k, lse.part(0, sequence.firstQuery(), sequence.queries()).at(query, head, entry), exists);
      store(k, lane, slot.times(tileM).plus(row), head, sums, sum, logarithms, log, row);
    }
    k.loop(thread.times(QUAD), k.constant(tileM * tileD), THREADS * QUAD, element ->
        accumulators.at(element, slot, head).store(Collections.nCopies(QUAD, k.constant(0f))));
    if (deterministic) {
      var semaphores = k.global(GradientWorkspace.semaphores());
      k.when(thread.equalTo(0), () -> semaphores.at(slot, head).store(zero));
    }
  }

  private List<F32> load(GlobalTensor row, I32 column) {
    var zero = column.constant(0);
    var inside = row.contains(zero, column, zero, zero);
    return row.at(zero, column, zero, zero).vectorOrZeros(vector, inside).values();
  }

  private static F32 dot(F32 sum, List<F32> a, List<F32> b) {
    var result = sum;
    for (int i = 0; i < a.size(); i++) result = a.get(i).fma(b.get(i), result);
    return result;
  }

  /** A row's logarithm to base 2; +∞ without keys or where there is no such row, so that every P = exp2(s − ∞) is 0. */
  private F32 log(Scope k, Element lse, Pred exists) {
    var none = k.constant(Float.POSITIVE_INFINITY);
    var log = k.accumulator(Float.POSITIVE_INFINITY);
    k.when(exists, () -> {
      var given = lse.load();
      log.set(given.times(LOG2_E).where(given.notEqualTo(Float.NEGATIVE_INFINITY), none));
    });
    return log.value();
  }

  private void store(Scope k, I32 lane, I32 place, I32 head, GlobalTensor sums, F32 sum, GlobalTensor logarithms,
      F32 log, I32 row) {
    sum.register();
    k.when(lane.equalTo(0).and(row.lessThan(tileM)), () -> {
      sums.at(place, head).store(sum);
      logarithms.at(place, head).store(log);
    });
  }
}
