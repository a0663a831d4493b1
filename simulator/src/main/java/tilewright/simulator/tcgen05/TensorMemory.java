package tilewright.simulator.tcgen05;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.Warp;
import tilewright.simulator.tmem.TmemAddress;

/**
 * The Tensor Memory of the SM that a CTA runs on (PTX ISA, Tensor Memory): 128 lanes of 512 columns, and which columns
 * are allocated. No other CTA is on the same SM.
 */
public final class TensorMemory {
  /** Columns are allocated in units of so many. */
  static final int UNIT = 32;
  private static final int UNITS = TmemAddress.COLUMNS / UNIT;
  private static final int NO_CELLS = 0;
  /** The contents of cells that nobody wrote: they look wrong, and the same every time. */
  private static final int UNWRITTEN = 0xCDCDCDCD;

  /** A warp that waits for columns, or for its peer to free them with it. */
  static final class Request {
    final Warp warp;
    final int site;
    final int columns;
    /** The first column to free, or {@link #ALLOCATE}. */
    final int freed;
    /** The first column, once granted. */
    int granted = WAITING;
    static final int WAITING = -1;
    static final int ALLOCATE = -1;

    Request(Warp warp, int site, int columns, int freed) {
      this.warp = warp;
      this.site = site;
      this.columns = columns;
      this.freed = freed;
    }

    boolean waits() {
      return granted == WAITING;
    }
  }

  final Cta cta;
  final List<Request> requests = new ArrayList<>();
  /** The operations under way in the tensor core, or in the pair's where this is the even CTA, in order of issue. */
  final List<TensorOperation> pipeline = new ArrayList<>();
  /** By lane, then column. */
  int[] cells = new int[NO_CELLS];
  /** Columns of the allocation that begins in each unit, and the instruction that made it. */
  private final int[] sizes = new int[UNITS];
  private final int[] sites = new int[UNITS];
  private int used;
  /** Columns of the CTA's last allocation; 0 before the first. */
  private int last;
  private boolean relinquished;
  /** The {@code .cta_group} that this CTA uses; 0 before the first instruction. */
  private int group;

  public TensorMemory(Cta cta) {
    this.cta = cta;
  }

  public static TensorMemory of(Cta cta) {
    return TensorUnits.of(cta).tensorMemory();
  }

  public void reset() {
    requests.clear();
    pipeline.clear();
    Arrays.fill(cells, UNWRITTEN);
    Arrays.fill(sizes, 0);
    used = 0;
    last = 0;
    relinquished = false;
    group = 0;
  }

  static int cell(int lane, int column) {
    return lane * TmemAddress.COLUMNS + column;
  }

  /** All instructions of a kernel must work on as many CTAs. */
  void require(int ctas, Warp w, int lane, int site) {
    if (group == 0) group = ctas;
    if (group != ctas) {
      throw new Fault(Kind.INVALID_OPERATION, site, lane, ctas, w.who(lane) + " uses cta_group::" + ctas
          + ", but this kernel has used cta_group::" + group + ": all tcgen05 instructions must name the same");
    }
  }

  void relinquish() {
    relinquished = true;
  }

  boolean relinquished() {
    return relinquished;
  }

  int last() {
    return last;
  }

  /** The first column at which there is room for so many, or -1. */
  int room(int columns) {
    int units = columns / UNIT;
    for (int first = 0; first + units <= UNITS; first += units) {
      if ((used & mask(first, units)) == 0) return first * UNIT;
    }
    return -1;
  }

  private static int mask(int first, int units) {
    return (1 << units) - 1 << first;
  }

  void take(int column, int columns, int site) {
    if (cells.length == NO_CELLS) {
      cells = new int[TmemAddress.LANES * TmemAddress.COLUMNS];
      Arrays.fill(cells, UNWRITTEN);
    }
    used |= mask(column / UNIT, columns / UNIT);
    sizes[column / UNIT] = columns;
    sites[column / UNIT] = site;
    last = columns;
  }

  /** Columns of the allocation that begins there; 0 if none does. */
  int allocated(int column) {
    return column % UNIT == 0 && column < TmemAddress.COLUMNS ? sizes[column / UNIT] : 0;
  }

  void free(int column) {
    used &= ~mask(column / UNIT, sizes[column / UNIT] / UNIT);
    sizes[column / UNIT] = 0;
  }

  /** Whether all of the columns exist and are allocated. */
  boolean holds(int column, int columns) {
    if (column < 0 || column + columns > TmemAddress.COLUMNS) return false;
    int first = column / UNIT;
    int units = (column + columns - 1) / UNIT - first + 1;
    return (mask(first, units) & ~used) == 0;
  }

  void requireColumns(int first, int columns, String verb, Warp w, int lane, int site) {
    if (!holds(first, columns)) {
      throw new Fault(Kind.OUT_OF_BOUNDS, site, lane, first, w.who(lane) + " " + verb + " tensor memory columns "
          + first + " to " + (first + columns - 1) + " of block " + cta.position + ", but " + describe());
    }
    if (cta.state.profile) cta.watch.tensorMemory(cta, first, columns, verb, w);
  }

  /** Names the allocations, for reports. */
  String describe() {
    var parts = new ArrayList<String>();
    for (int i = 0; i < UNITS; i++) {
      if (sizes[i] > 0) parts.add("columns " + i * UNIT + " to " + (i * UNIT + sizes[i] - 1));
    }
    return parts.isEmpty() ? "no columns are allocated" : String.join(", ", parts) + " are allocated";
  }

  /** Names the warps that wait and their reasons, for reports of deadlocks. */
  public List<String> waiting() {
    return requests.stream().filter(Request::waits).map(r -> "warp " + r.warp.index + " wants "
        + (r.freed < 0 ? r.columns + " columns of tensor memory, of which " + describe()
            : "to free tensor memory together with the peer CTA")).toList();
  }

  /** All threads have exited: what is still allocated is reported. */
  public void finish() {
    for (int i = 0; i < UNITS; i++) {
      if (sizes[i] == 0) continue;
      int first = i * UNIT;
      int columns = sizes[i];
      cta.state.findings.add(new Findings.Report(Kind.TENSOR_MEMORY_LEAK, sites[i], cta, cta.state.threadAt(0), first,
          Kind.TENSOR_MEMORY_LEAK.fix()), () -> "block " + cta.position + " exits with " + columns
          + " columns of tensor memory allocated, from column " + first + " on");
    }
  }
}
