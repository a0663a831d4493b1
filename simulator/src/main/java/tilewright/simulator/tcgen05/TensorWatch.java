package tilewright.simulator.tcgen05;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.simulator.Finding;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Findings;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sanitizer.AsyncQueue;
import tilewright.simulator.sanitizer.Sanitizer;
import tilewright.simulator.sanitizer.TensorKnowledge;
import tilewright.simulator.sanitizer.TensorKnowledge.Completion;
import tilewright.simulator.sanitizer.TensorOrder;
import tilewright.simulator.tmem.TmemAddress;

/**
 * Watches a CTA's Tensor Memory: who wrote and read each column of sixteen lanes last, and whether what comes next is
 * ordered behind that, and which cells were ever written.
 */
public final class TensorWatch {
  static final int LANES = 16;
  private static final int GROUPS = TmemAddress.LANES / LANES;
  static final int ALL = (1 << LANES) - 1;
  /** No register has that number. */
  private static final int REPORTED = -1;

  /** One operation that touches Tensor Memory. */
  record Access(Warp warp, int lane, int site, int number, Completion completion, TensorOperation operation,
      String verb) {}

  private final Cta cta;
  /** By warp, of what its operations read of shared memory; null before they are asked for. */
  private final AsyncQueue[] queues;
  /** By warp, the registers that loads fill which were not waited for, and those loads. */
  private final List<Map<Integer, Integer>> loads = new ArrayList<>();
  /** By warp, its last multiplication. */
  private final Access[] products;
  private final Access[] writes = new Access[GROUPS * TmemAddress.COLUMNS];
  /** The last load, and the last read by the tensor core. */
  private final Access[][] reads = new Access[2][GROUPS * TmemAddress.COLUMNS];
  /** By unit of columns, the allocation they belong to: by the warp, or by that of each CTA of a pair. */
  private final Access[][] allocations = new Access[TmemAddress.COLUMNS / TensorMemory.UNIT][];
  private final short[] written = new short[GROUPS * TmemAddress.COLUMNS];

  public TensorWatch(Cta cta) {
    this.cta = cta;
    queues = new AsyncQueue[cta.warps.length];
    products = new Access[cta.warps.length];
    for (int i = 0; i < queues.length; i++) loads.add(new HashMap<>());
  }

  /** The watch over a CTA's Tensor Memory; null when the launch is not sanitized. */
  static TensorWatch of(Cta cta) {
    return TensorUnits.of(cta).tensorWatch();
  }

  public void reset() {
    for (int i = 0; i < queues.length; i++) {
      loads.get(i).clear();
      queues[i] = null;
      products[i] = null;
    }
    forget(0, TmemAddress.COLUMNS);
    Arrays.fill(allocations, null);
  }

  /** The order of a warp of this CTA. */
  TensorOrder order(Warp w) {
    return Sanitizer.of(cta).causality().tensorOrder(w);
  }

  AsyncQueue queue(Warp w) {
    if (queues[w.index] == null) queues[w.index] = Sanitizer.of(cta).causality().queue();
    return queues[w.index];
  }

  Map<Integer, Integer> loads(Warp w) {
    return loads.get(w.index);
  }

  /** A register is read: the load that fills it must have been waited for. */
  void readRegister(Warp w, int mask, int register, int site) {
    var load = loads(w).get(register);
    if (load == null || load == site || loads(w).containsKey(REPORTED)) return;
    // One omitted wait concerns all loads before the next one.
    loads(w).put(REPORTED, load);
    int lane = Integer.numberOfTrailingZeros(mask);
    var at = cta.kernel.sites().get(load);
    cta.state.findings.add(new Findings.Report(Kind.PENDING_LOAD_READ, site, cta, w.thread(lane), 0,
        Kind.PENDING_LOAD_READ.fix(),
        Optional.of(new Finding.Access(at.line(), at.text(), at.source(), cta.position, w.thread(lane))), load),
        () -> w.who(lane) + " reads a register that the load from tensor memory at " + at.where() + " ("
            + at.text() + ") fills, before tcgen05.wait::ld");
  }

  private void forget(int first, int columns) {
    for (int g = 0; g < GROUPS; g++) {
      int from = g * TmemAddress.COLUMNS + first;
      Arrays.fill(writes, from, from + columns, null);
      for (var r : reads) Arrays.fill(r, from, from + columns, null);
      Arrays.fill(written, from, from + columns, (short) 0);
    }
  }

  /** An operation of a warp, of this CTA or of its peer, begins. */
  static Access begin(Warp w, int lane, int site, Completion completion, TensorOperation operation, String verb) {
    var watch = TensorWatch.of(w.cta);
    var access = new Access(w, lane, site, watch.order(w).next(), completion, operation, verb);
    if (operation instanceof TensorProduct) watch.products[w.index] = access;
    return access;
  }

  /** Requests to allocate columns, together where there are two, are granted. */
  void allocated(TensorMemory.Request[] requests, int first, int columns) {
    var by = new Access[requests.length];
    for (int i = 0; i < by.length; i++) {
      by[i] = begin(requests[i].warp, 0, requests[i].site, Completion.STORE, null, "allocates");
    }
    Arrays.fill(allocations, first / TensorMemory.UNIT, (first + columns) / TensorMemory.UNIT, by);
  }

  /** Checks that an access comes after the allocation of its columns: an address from an earlier one is no excuse. */
  private void checkAllocated(Access by, int lane, int column, int columns) {
    var known = TensorWatch.of(by.warp.cta).order(by.warp);
    for (int unit = column / TensorMemory.UNIT; unit * TensorMemory.UNIT < column + columns; unit++) {
      var allocation = allocations[unit];
      if (allocation == null) continue;
      if (Arrays.stream(allocation).anyMatch(a -> known.loose().issued(a.warp.number(), a.number))) continue;
      var first = allocation[0];
      report(Kind.RACE, by, first, lane, Math.max(column, unit * TensorMemory.UNIT), "with nothing that orders the two",
          "let a barrier hand over the address of each allocation, and forget the address when it is freed");
      known.assume(first.completion, first.warp.number(), first.number);
    }
  }

  /** Reads columns of a group of lanes, of which those of a mask must have been written. */
  void read(Access by, int lane, int mask, int column, int columns) {
    int slot = by.completion == Completion.LOAD ? 0 : 1;
    checkAllocated(by, lane, column, columns);
    for (int c = column; c < column + columns; c++) {
      int at = lane / LANES * TmemAddress.COLUMNS + c;
      checkWritten(by, lane, mask, at, c);
      check(by, writes[at], lane, c);
      reads[slot][at] = by;
    }
  }

  private void checkWritten(Access by, int lane, int mask, int at, int column) {
    int missing = mask & ~written[at] & ALL;
    if (missing == 0) return;
    written[at] |= (short) mask;
    int first = lane / LANES * LANES + Integer.numberOfTrailingZeros(missing);
    cta.state.findings.add(new Findings.Report(Kind.UNINITIALIZED_READ, by.site, cta, by.warp.thread(by.lane),
        TensorMemory.cell(first, column), "write it first, or multiply without the old value (enable-input-d false)"),
        () -> by.warp.who(by.lane) + " " + by.verb + " tensor memory lane " + first + ", column " + column
            + ", which nobody has written");
  }

  /** Whether all lanes of a mask have been written. */
  void requireWritten(Access by, int lane, int mask, int column, int columns) {
    for (int c = column; c < column + columns; c++) {
      checkWritten(by, lane, mask, lane / LANES * TmemAddress.COLUMNS + c, c);
    }
  }

  void write(Access by, int lane, int mask, int column, int columns) {
    checkAllocated(by, lane, column, columns);
    for (int c = column; c < column + columns; c++) {
      int at = lane / LANES * TmemAddress.COLUMNS + c;
      check(by, writes[at], lane, c);
      for (var r : reads) check(by, r[at], lane, c);
      writes[at] = by;
      written[at] |= (short) mask;
    }
  }

  /** Columns are freed: all that touched them must be done. */
  void free(Warp w, int first, int columns, int site) {
    var order = order(w).loose();
    Access busy = null;
    int where = 0;
    for (int at = 0; at < GROUPS * TmemAddress.COLUMNS && busy == null; at++) {
      int c = at % TmemAddress.COLUMNS;
      if (c < first || c >= first + columns) continue;
      for (var other : new Access[] {writes[at], reads[0][at], reads[1][at]}) {
        if (other == null || order.done(other.completion, other.warp.number(), other.number)) continue;
        busy = other;
        where = at;
      }
    }
    if (busy != null) {
      report(Kind.RACE, new Access(w, 0, site, 0, Completion.STORE, null, "frees"), busy,
          where / TmemAddress.COLUMNS * LANES, where % TmemAddress.COLUMNS, "with nothing that orders the two",
          completion(busy) + ", then a barrier, before freeing it");
    }
    forget(first, columns);
  }

  private void check(Access by, Access other, int lane, int column) {
    if (other == null || other == by || other.number == by.number && other.warp == by.warp) return;
    var order = TensorWatch.of(by.warp.cta).order(by.warp);
    if (ordered(order.effective(), by, other)) return;
    if (ordered(order.loose(), by, other)) {
      report(Kind.MISSING_FENCE, by, other, lane, column, "ordered but for a tcgen05 fence", Kind.MISSING_FENCE.fix());
    } else {
      report(Kind.RACE, by, other, lane, column, "with nothing that orders the two", completion(other)
          + (by.warp == other.warp ? "" : ", then synchronise with fence::before_thread_sync and "
          + "fence::after_thread_sync around it"));
    }
    // What follows from the same omission need not be told again.
    order.assume(other.completion, other.warp.number(), other.number);
  }

  private static boolean ordered(TensorKnowledge known, Access by, Access other) {
    int warp = other.warp.number();
    return pipelined(by, other) ? known.issued(warp, other.number) : known.done(other.completion, warp, other.number);
  }

  /** Whether they keep the order of their issue, directly or by way of a multiplication between the two. */
  private static boolean pipelined(Access by, Access other) {
    if (by.operation == null || other.operation == null) return false;
    if (by.operation.follows(other.operation)) return true;
    var between = TensorWatch.of(by.warp.cta).products[by.warp.index];
    return between != null && between.warp == other.warp && between.number > other.number
        && by.operation.follows(between.operation) && between.operation.follows(other.operation);
  }

  private static String completion(Access other) {
    return switch (other.completion) {
      case COMMIT -> "commit the earlier operation to an mbarrier with tcgen05.commit, wait for it, and put "
          + "tcgen05.fence::after_thread_sync behind the wait";
      case LOAD -> "put tcgen05.wait::ld behind the earlier load";
      case STORE -> "put tcgen05.wait::st behind the earlier store";
    };
  }

  private void report(Kind kind, Access by, Access other, int lane, int column, String how, String fix) {
    var at = other.warp.cta.kernel.sites().get(other.site);
    var related = new Finding.Access(at.line(), at.text(), at.source(), other.warp.cta.position,
        other.warp.thread(other.lane));
    int first = lane / LANES * LANES;
    cta.state.findings.add(new Findings.Report(kind, by.site, by.warp.cta, by.warp.thread(by.lane),
        TensorMemory.cell(first, column), fix, Optional.of(related), other.site),
        () -> by.warp.who(by.lane) + " " + by.verb + " tensor memory lanes " + first + " to " + (first + LANES - 1)
            + ", column " + column + (cta == by.warp.cta ? "" : " of block " + cta.position) + ", which "
            + other.warp.who(other.lane) + " " + other.verb + " at " + at.where() + " (" + at.text() + "), " + how);
  }
}
