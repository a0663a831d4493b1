package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.ValueOrder;
import tilewright.layout.Layout;
import tilewright.layout.tuple.IntTuple;
import tilewright.numerics.ElementType;
import tilewright.reference.ScoreRule;

/** Attention whose V has neighbours along the keys: of 8-bit operands in every form, and some of 16 bits. */
public final class ColumnMajorValues {
  private static final ElementType BF16 = ElementType.BF16;
  private static final ElementType F16 = ElementType.F16;
  /** Bytes of which tensor copies need multiples. */
  private static final int ALIGNED_BYTES = 16;

  private ColumnMajorValues() {}

  /** Problems small enough for the simulator. */
  public static List<AttentionCases.Setup> small() {
    var all = new ArrayList<AttentionCases.Setup>();
    // In this order a sample has a tail of keys with bounds on both sides, the widest rows, and few queries.
    var window = AttentionCases.band(BF16, new Sizes(1, 150, 300, 2, 1, 128, 128), Band.window(150, 20));
    all.add(of(QuantizedAttention.perBlock(window, 128, 128)));
    for (int dim : new int[] {64, 96, 192, 256}) {
      all.add(ofBytes(AttentionCases.band(F16, new Sizes(2, 70, 275, 2, 1, dim, dim), Band.CAUSAL)));
    }
    all.add(ofBytes(AttentionCases.packed(2, 2)));
    all.add(ofBytes(AttentionCases.packed(6, 2)));
    all.add(ofBytes(withoutBand(AttentionCases.packed(2, 2))));
    for (int dim : new int[] {96, 128, 256}) all.add(ofBytes(AttentionCases.packed(dim)));
    all.add(ofBytes(AttentionCases.band(BF16, new Sizes(1, 130, 150, 2, 1, 192, 128), Band.ALL)));
    all.add(of(QuantizedAttention.perBlock(AttentionCases.band(BF16, new Sizes(2, 3, 300, 8, 2, 64, 64), Band.CAUSAL),
        64, 128)));
    for (var changed : AttentionMods.setups()) all.add(ofBytes(changed));
    all.add(ofBytes(AttentionCases.band(BF16, new Sizes(1, 40, 70, 2, 1, 48, 80), Band.ALL)));
    all.add(ofBytes(AttentionCases.band(BF16, Sizes.of(2, 40, 0, 1, 64), Band.ALL)));
    all.add(of(Mxf8Attention.scaled(AttentionCases.band(BF16, new Sizes(1, 150, 300, 2, 1, 128, 128), Band.CAUSAL))));
    for (int dim : new int[] {64, 128, 256}) {
      all.add(of(AttentionCases.band(BF16, new Sizes(1, 70, 140, 2, 1, dim, dim), Band.CAUSAL)));
    }
    all.add(of(AttentionCases.packed(2, 2)));
    return all;
  }

  private static AttentionCases.Setup withoutBand(AttentionCases.Setup setup) {
    return new AttentionCases.Setup(setup.name() + " without a band", setup.problem().with(Band.ALL),
        (_, _, _) -> ScoreRule.NONE, setup.queries(), setup.keys());
  }

  private static AttentionCases.Setup ofBytes(AttentionCases.Setup setup) {
    var p = setup.problem();
    return of(QuantizedAttention.quantized(setup, Quantized.perHead(p.type(), p.sizes())));
  }

  /** A problem with dense V in columns, each with room for more than all keys. */
  public static AttentionCases.Setup of(AttentionCases.Setup setup) {
    var p = setup.problem();
    int multiple = ALIGNED_BYTES / p.type().bytes();
    return of(setup, (p.sizes().keys() / multiple + 1) * multiple);
  }

  /** A problem with dense V in columns, each with room for a number of keys. */
  public static AttentionCases.Setup of(AttentionCases.Setup setup, int room) {
    var p = setup.problem();
    var s = p.sizes();
    var columns = View.bhds("V", s.keyHeads(), s.valueDim(), room);
    return new AttentionCases.Setup(setup.name() + ", V by columns", p.at(p.q(), p.k(), columns, p.o()), setup.rules(),
        setup.queries(), setup.keys());
  }

  /** Draws V, the same elements in each order; what lies behind the keys of a column is NaN. */
  static MemorySegment draw(AttentionProblem p, long seed) {
    var s = p.sizes();
    var v = p.v();
    if (ValueOrder.of(v) == ValueOrder.ROW_MAJOR) {
      return Buffers.normal(p.cacheType(), (long) s.batch() * s.keys() * s.keyHeads() * s.valueDim(), seed);
    }
    var buffer = Buffers.poisoned(p.type(), Math.max(1, s.batch() * v.batch()));
    if ((long) s.batch() * s.keys() * s.keyHeads() == 0) return buffer;
    var rows = View.bshd("", s.keys(), s.keyHeads(), s.valueDim());
    var elements = Buffers.normal(p.type(), s.batch() * rows.batch(), seed);
    var from = places(s, rows);
    var to = places(s, v);
    int bytes = p.type().bytes();
    for (long i = 0; i < to.size(); i++) {
      MemorySegment.copy(elements, from.apply(i) * bytes, buffer, to.apply(i) * bytes, bytes);
    }
    return buffer;
  }

  private static Layout places(Sizes s, View v) {
    return new Layout(IntTuple.flat(s.batch(), s.keys(), s.keyHeads(), s.valueDim()),
        IntTuple.flat(v.batch(), v.sequence(), v.head(), v.dim()));
  }
}
