package tilewright.simulator.tcgen05;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tmem.DataPath;
import tilewright.simulator.tmem.InstructionDescriptor;
import tilewright.simulator.tmem.MetadataLayout;
import tilewright.simulator.tmem.MmaKind;
import tilewright.simulator.tmem.ScaleLayout;
import tilewright.simulator.tmem.TmemAddress;
import tilewright.simulator.tmem.ZeroColumnMask;

/**
 * {@code tcgen05.mma} (PTX ISA): decodes and checks what a thread issues. Generated code names the operands one by one,
 * and then issues the multiplication.
 */
public final class TensorMma {
  public static final int WEIGHT_STATIONARY = 1;
  public static final int SPARSE = 2;
  public static final int SHIFTED = 4;
  /** The uses of the collector buffer. */
  public static final int DISCARD = 0;
  public static final int FILL = 1;
  public static final int USE = 2;
  public static final int LAST_USE = 3;
  /** The compute capability times ten whose tensor cores multiply 96 elements of 4 bits at once. */
  private static final int ULTRA = 103;
  private static final MmaKind[] KINDS = MmaKind.values();
  private static final int WORDS_A_CTA = 4;

  /** A place in Tensor Memory that each lane names. */
  private record Place(int[] address, int displacement) {
    int bits(int lane) {
      return address[lane] + displacement;
    }
  }

  /** The contents of a collector buffer. */
  private record Collected(List<Cta> group, long source) {}

  private MmaKind kind = MmaKind.F16;
  private int ctas;
  private int flags;
  private int scales;
  private Place d;
  private Place a;
  private Place metadata;
  private Place aScales;
  private Place bScales;
  private long[] aDescriptor;
  private long[] b;
  private long[] zeroColumns;
  private final List<int[]> disabled = new ArrayList<>();
  private final Map<Integer, Collected> collectors = new HashMap<>();

  public void reset() {
    collectors.clear();
  }

  /** Begins an instruction; {@code scales} is the number of scales of a row, or 0. */
  public static void begin(Warp w, int mask, int kind, int ctas, int flags, int scales) {
    var m = TensorUnits.of(w.cta).tensorMma();
    m.kind = KINDS[kind];
    m.ctas = ctas;
    m.flags = flags;
    m.scales = scales;
    m.a = null;
    m.metadata = null;
    m.zeroColumns = null;
    m.disabled.clear();
  }

  public static void d(Warp w, int mask, int[] address, int displacement) {
    TensorUnits.of(w.cta).tensorMma().d = new Place(address, displacement);
  }

  /** A in Tensor Memory. */
  public static void a(Warp w, int mask, int[] address, int displacement) {
    TensorUnits.of(w.cta).tensorMma().a = new Place(address, displacement);
  }

  /** A in shared memory. */
  public static void a(Warp w, int mask, long[] descriptor) {
    TensorUnits.of(w.cta).tensorMma().aDescriptor = descriptor;
  }

  public static void b(Warp w, int mask, long[] descriptor) {
    TensorUnits.of(w.cta).tensorMma().b = descriptor;
  }

  public static void metadata(Warp w, int mask, int[] address, int displacement) {
    TensorUnits.of(w.cta).tensorMma().metadata = new Place(address, displacement);
  }

  public static void aScales(Warp w, int mask, int[] address, int displacement) {
    TensorUnits.of(w.cta).tensorMma().aScales = new Place(address, displacement);
  }

  public static void bScales(Warp w, int mask, int[] address, int displacement) {
    TensorUnits.of(w.cta).tensorMma().bScales = new Place(address, displacement);
  }

  /** Lanes of D, 32 more of them, that are not written. */
  public static void disable(Warp w, int mask, int[] lanes) {
    TensorUnits.of(w.cta).tensorMma().disabled.add(lanes);
  }

  public static void zeroColumns(Warp w, int mask, long[] descriptor) {
    TensorUnits.of(w.cta).tensorMma().zeroColumns = descriptor;
  }

  /** Issues the multiplication of each lane. */
  public static void issue(Warp w, int mask, int[] descriptor, int enableD, int scaleD, int buffer, int usage,
      int site) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      TensorUnits.of(w.cta).tensorMma().issue(w, lane, descriptor[lane], (w.p[enableD] >>> lane & 1) != 0, scaleD,
          buffer, usage, site);
    }
  }

  private boolean has(int flag) {
    return (flags & flag) != 0;
  }

  private void issue(Warp w, int lane, int descriptor, boolean accumulate, int scaleD, int buffer, int usage,
      int site) {
    TensorMemory.of(w.cta).require(ctas, w, lane, site);
    var group = TensorAllocation.group(w, lane, ctas, site);
    try {
      var i = InstructionDescriptor.of(descriptor, kind, ctas, has(WEIGHT_STATIONARY), has(SPARSE));
      if (i.deep() && w.cta.state.architecture != ULTRA) {
        throw new IllegalArgumentException("K is 96, but only sm_103a multiplies 96 deep");
      }
      var path = DataPath.of(i.m(), ctas, has(WEIGHT_STATIONARY), has(SPARSE));
      if (has(SHIFTED) && path != DataPath.A && path != DataPath.D) {
        throw new IllegalArgumentException(".ashift needs M = 128 in one CTA or 256 in two, but M is " + i.m());
      }
      var product = new TensorProduct(w, lane, site, group, kind, i, path, place(d, path, "D", w, lane));
      product.accumulate = accumulate;
      product.scaleD = scaleD;
      product.weightStationary = has(WEIGHT_STATIONARY);
      product.shifted = has(SHIFTED);
      product.disabled = disabled.stream().mapToInt(word -> word[lane]).toArray();
      operands(product, w, lane, site);
      collect(buffer, usage, group, a != null ? a.bits(lane) : aDescriptor[lane], b[lane], w, lane, site);
      columns(product, w, lane, site);
      product.issue();
    } catch (IllegalArgumentException e) {
      throw TensorAllocation.fault(w, lane, site, "issues a tcgen05.mma that does not exist: " + e.getMessage());
    }
  }

  private static TmemAddress place(Place p, DataPath path, String what, Warp w, int lane) {
    var at = TmemAddress.of(p.bits(lane));
    if (!path.aligned(at.lane())) {
      throw new IllegalArgumentException(what + " begins at lane " + at.lane() + " of tensor memory, but data path "
          + path + " begins at lane " + (path.half() ? "0 or 16" : "0"));
    }
    return at;
  }

  private void operands(TensorProduct p, Warp w, int lane, int site) {
    var i = p.descriptor;
    boolean sparse = has(SPARSE);
    int bits = kind.containerBits();
    int n = p.group.length;
    if (zeroColumns != null) p.zeroColumns = ZeroColumnMask.of(zeroColumns[lane], i.m(), i.n());
    p.b = new TensorOperand[n];
    for (int c = 0; c < n; c++) {
      p.b[c] = new TensorOperand(p.group[c], b[lane], i.transposeB(), i.n() / n + p.zeroColumns.shift(),
          p.depth(sparse), bits, w, lane, site);
    }
    if (a == null) {
      p.a = new TensorOperand[n];
      for (int c = 0; c < n; c++) {
        p.a[c] = new TensorOperand(p.group[c], aDescriptor[lane], i.transposeA(), p.path.rows(), p.depth(false),
            bits, w, lane, site);
      }
    } else {
      if (i.transposeA()) throw new IllegalArgumentException("a matrix A in tensor memory cannot be transposed");
      p.aPlace = place(a, p.path, "A", w, lane);
      if (p.aPlace.lane() != p.dPlace.lane()) {
        throw new IllegalArgumentException("A and D begin at different lanes of tensor memory, " + p.aPlace.lane()
            + " and " + p.dPlace.lane());
      }
    }
    if (sparse) {
      p.metadata = TmemAddress.withoutSelector(metadata.bits(lane));
      if (p.metadata.lane() != p.dPlace.lane()) {
        throw new IllegalArgumentException("the sparsity metadata begins at lane " + p.metadata.lane()
            + " of tensor memory, but D at lane " + p.dPlace.lane());
      }
    }
    if (scales == 0) return;
    p.scales = scales * p.depth(false) / kind.depth(false);
    ScaleLayout.requireId("A", i.aScale(), p.scales);
    ScaleLayout.requireId("B", i.bScale(), p.scales);
    ScaleLayout.requireRows("A", p.path.rows(), i.aScale(), p.scales);
    ScaleLayout.requireRows("B", i.n() / p.path.folds(), i.bScale(), p.scales);
    p.aScales = TmemAddress.withoutSelector(aScales.bits(lane));
    p.bScales = TmemAddress.withoutSelector(bScales.bits(lane));
  }

  /** All columns that the multiplication touches must be allocated in all its CTAs. */
  private void columns(TensorProduct p, Warp w, int lane, int site) {
    int folds = p.path.folds();
    for (var cta : p.group) {
      var m = TensorMemory.of(cta);
      m.requireColumns(p.dPlace.column(), p.descriptor.n() / folds, "multiplies into", w, lane, site);
      if (p.aPlace != null) m.requireColumns(p.aPlace.column(), p.columnsOfA(), "multiplies", w, lane, site);
      if (p.metadata != null) {
        m.requireColumns(p.metadata.column() + p.descriptor.selector(), MetadataLayout.columns(kind),
            "takes sparsity metadata from", w, lane, site);
      }
      if (p.scales == 0) continue;
      scales(m, p, p.aScales, p.path.rows(), p.descriptor.aScale(), w, lane, site);
      scales(m, p, p.bScales, p.descriptor.n() / folds, p.descriptor.bScale(), w, lane, site);
    }
    if (!disabled.isEmpty() && disabled.size() != WORDS_A_CTA * ctas) {
      throw new IllegalArgumentException("disable-output-lane has " + disabled.size() + " words, but cta_group::" + ctas
          + " needs " + WORDS_A_CTA * ctas);
    }
  }

  private static void scales(TensorMemory memory, TensorProduct p, TmemAddress at, int rows, int id, Warp w, int lane,
      int site) {
    int more = (ScaleLayout.words(id, p.scales) - 1) * ScaleLayout.columnsOfWord(rows);
    memory.requireColumns(at.column(), more + (rows + ScaleLayout.ROWS - 1) / ScaleLayout.ROWS, "takes scales from", w,
        lane, site);
  }

  /** A collector buffer only saves reading an operand again, so whoever uses it must have filled it with the same. */
  private void collect(int buffer, int usage, Cta[] group, long a, long b, Warp w, int lane, int site) {
    var now = new Collected(Arrays.asList(group), buffer == 0 ? a : b);
    var held = collectors.get(buffer);
    if ((usage == USE || usage == LAST_USE) && !now.equals(held)) {
      throw TensorAllocation.fault(w, lane, site, "uses a collector buffer that "
          + (held == null ? "was not filled" : "was filled with another matrix"));
    }
    if (usage == FILL || usage == USE) {
      collectors.put(buffer, now);
    } else {
      collectors.remove(buffer);
    }
  }
}
