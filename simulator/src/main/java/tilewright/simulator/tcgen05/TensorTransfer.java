package tilewright.simulator.tcgen05;

import tilewright.simulator.core.AsyncOperation;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.TensorKnowledge.Completion;
import tilewright.simulator.tmem.AccessShape;
import tilewright.simulator.tmem.TmemAddress;

/**
 * {@code tcgen05.ld}, {@code tcgen05.st} and the waits for them (PTX ISA). A load reads when it is issued, because a
 * register's true dependence is respected without any wait; a store takes effect at any time until it is waited for.
 * Generated code names the registers one by one.
 */
public final class TensorTransfer {
  private static final AccessShape[] SHAPES = AccessShape.values();
  private static final TensorReduction[] REDUCTIONS = TensorReduction.values();
  private static final int HALF_BITS = 16;
  private static final int HALF_MASK = 0xFFFF;
  private static final int HALF_WARP = 16;

  private AccessShape shape = AccessShape.LANES_32_BITS_32;
  private int lane;
  private int column;
  private int split;
  private boolean packed;
  private Store store;

  /** A store under way: what goes where. */
  private static final class Store implements AsyncOperation {
    final Warp warp;
    final int site;
    final int[] cells;
    final int[] values;
    int count;

    Store(Warp warp, int site, int cells) {
      this.warp = warp;
      this.site = site;
      this.cells = new int[cells];
      values = new int[cells];
    }

    void add(int cell, int value) {
      cells[count] = cell;
      values[count++] = value;
    }

    @Override
    public void complete() {
      var memory = TensorMemory.of(warp.cta);
      for (int i = 0; i < count; i++) memory.cells[cells[i]] = values[i];
    }

    @Override
    public int site() {
      return site;
    }

    @Override
    public String describe() {
      return "a store to tensor memory by warp " + warp.index + " of block " + warp.cta.position + warp.cta.at(site);
    }
  }

  /** Begins a load. */
  public static void load(Warp w, int mask, int[] address, int displacement, int shape, int repeats, int split,
      int pack, int site) {
    TensorUnits.of(w.cta).transfer().begin(w, mask, address, displacement, SHAPES[shape], repeats, split, pack != 0,
        site, false);
  }

  public static void load(Warp w, int mask, int register, int[] to) {
    var t = TensorUnits.of(w.cta).transfer();
    for (int thread = 0; thread < Warp.LANES; thread++) to[thread] = t.read(w, thread, register);
  }

  public static void load(Warp w, int mask, int register, float[] to) {
    var t = TensorUnits.of(w.cta).transfer();
    for (int thread = 0; thread < Warp.LANES; thread++) to[thread] = Float.intBitsToFloat(t.read(w, thread, register));
  }

  /** Reduces registers of the load that has begun to one of each thread. */
  public static void reduce(Warp w, int mask, int reduction, int registers, int[] to) {
    var t = TensorUnits.of(w.cta).transfer();
    for (int thread = 0; thread < Warp.LANES; thread++) to[thread] = t.reduced(w, thread, reduction, registers);
  }

  public static void reduce(Warp w, int mask, int reduction, int registers, float[] to) {
    var t = TensorUnits.of(w.cta).transfer();
    for (int thread = 0; thread < Warp.LANES; thread++) {
      to[thread] = Float.intBitsToFloat(t.reduced(w, thread, reduction, registers));
    }
  }

  private int reduced(Warp w, int thread, int reduction, int registers) {
    var operation = REDUCTIONS[reduction];
    int result = operation.first(read(w, thread, 0));
    for (int r = 1; r < registers; r++) result = operation.next(result, read(w, thread, r));
    return result;
  }

  /** Begins a store of so many registers. */
  public static void store(Warp w, int mask, int[] address, int displacement, int shape, int repeats, int split,
      int unpack, int site) {
    var t = TensorUnits.of(w.cta).transfer();
    t.begin(w, mask, address, displacement, SHAPES[shape], repeats, split, unpack != 0, site, true);
    t.store = new Store(w, site, Warp.LANES * SHAPES[shape].registers(repeats) * (unpack != 0 ? 2 : 1));
  }

  public static void store(Warp w, int mask, int register, int[] from) {
    var t = TensorUnits.of(w.cta).transfer();
    for (int thread = 0; thread < Warp.LANES; thread++) t.write(thread, register, from[thread]);
  }

  public static void store(Warp w, int mask, int register, float[] from) {
    var t = TensorUnits.of(w.cta).transfer();
    for (int thread = 0; thread < Warp.LANES; thread++) {
      t.write(thread, register, Float.floatToRawIntBits(from[thread]));
    }
  }

  /** All registers of the store have been named. */
  public static void issue(Warp w, int mask) {
    w.cta.cluster.async.issue(TensorUnits.of(w.cta).transfer().store);
  }

  public static void waitLoads(Warp w, int mask) {
    if (TensorWatch.of(w.cta) == null) return;
    TensorWatch.of(w.cta).order(w).waited(Completion.LOAD);
    TensorWatch.of(w.cta).loads(w).clear();
  }

  public static void waitStores(Warp w, int mask) {
    w.cta.cluster.async.complete(op -> op instanceof Store s && s.warp == w);
    if (TensorWatch.of(w.cta) != null) TensorWatch.of(w.cta).order(w).waited(Completion.STORE);
  }

  /** {@code fence::before_thread_sync}. */
  public static void before(Warp w, int mask) {
    if (TensorWatch.of(w.cta) != null) TensorWatch.of(w.cta).order(w).before();
  }

  /** {@code fence::after_thread_sync}. */
  public static void after(Warp w, int mask) {
    if (TensorWatch.of(w.cta) != null) TensorWatch.of(w.cta).order(w).after();
  }

  /** A load fills a register, which has that number. */
  public static void filling(Warp w, int mask, int register, int site) {
    if (TensorWatch.of(w.cta) != null) TensorWatch.of(w.cta).loads(w).put(register, site);
  }

  /** A register is read. */
  public static void reading(Warp w, int mask, int register, int site) {
    if (TensorWatch.of(w.cta) != null) TensorWatch.of(w.cta).readRegister(w, mask, register, site);
  }

  private void begin(Warp w, int mask, int[] address, int displacement, AccessShape newShape, int repeats, int newSplit,
      boolean pack, int site, boolean writes) {
    int bits = TensorAllocation.uniform(w, mask, address, "addresses", site) + displacement;
    shape = newShape;
    packed = pack;
    split = newSplit;
    column = bits & HALF_MASK;
    // Kernels for pairs of CTAs count the second one's lanes on from 128, and are published as running so on a B200.
    int base = (bits >>> HALF_BITS) % TmemAddress.LANES;
    int own = w.index % (TmemAddress.LANES / TmemAddress.WARP_LANES) * TmemAddress.WARP_LANES;
    int within = base % TmemAddress.WARP_LANES;
    boolean reachable = base < TmemAddress.WARP_LANES || base - within == own;
    if (!reachable || within != 0 && (within != HALF_WARP || shape.lanes() > HALF_WARP)) {
      throw TensorAllocation.fault(w, 0, site, (writes ? "stores to" : "loads from") + " lane " + base
          + " of tensor memory: warp " + w.index + " reaches lanes " + own + " to "
          + (own + TmemAddress.WARP_LANES - 1) + ", and shape " + shape.text() + " begins at a multiple of "
          + shape.lanes());
    }
    // The hardware takes the warp's own lanes whatever the address says of them.
    lane = own + within;
    int width = shape.columns(repeats) * (packed ? 2 : 1);
    var verb = writes ? "stores to" : "loads from";
    TensorMemory.of(w.cta).requireColumns(column, width, verb, w, 0, site);
    if (shape.split()) TensorMemory.of(w.cta).requireColumns(column + split, width, verb, w, 0, site);
    if (TensorWatch.of(w.cta) != null) watch(w, width, verb, writes, site);
  }

  private void watch(Warp w, int width, String verb, boolean writes, int site) {
    var watch = TensorWatch.of(w.cta);
    var by = TensorWatch.begin(w, 0, site, writes ? Completion.STORE : Completion.LOAD, null, verb);
    for (int l = lane; l < lane + shape.lanes(); l += TensorWatch.LANES) {
      for (int at : shape.split() ? new int[] {column, column + split} : new int[] {column}) {
        if (writes) {
          watch.write(by, l, TensorWatch.ALL, at, width);
        } else {
          watch.read(by, l, TensorWatch.ALL, at, width);
        }
      }
    }
  }

  private int cell(int thread, int register) {
    int c = shape.column(thread, register, 0);
    int offset = shape.split() && thread >= HALF_WARP ? split : 0;
    return TensorMemory.cell(lane + shape.lane(thread, register), column + offset + (packed ? 2 * c : c));
  }

  private int read(Warp w, int thread, int register) {
    int[] cells = TensorMemory.of(w.cta).cells;
    int at = cell(thread, register);
    return packed ? cells[at] & HALF_MASK | cells[at + 1] << HALF_BITS : cells[at];
  }

  private void write(int thread, int register, int value) {
    int at = cell(thread, register);
    if (packed) {
      store.add(at, value & HALF_MASK);
      store.add(at + 1, value >>> HALF_BITS);
    } else {
      store.add(at, value);
    }
  }
}
