package tilewright.simulator.tcgen05;

import java.util.Arrays;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.LaneGroup;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace;
import tilewright.simulator.core.Warp;
import tilewright.simulator.sync.Probes;
import tilewright.simulator.tmem.TmemAddress;

/**
 * {@code tcgen05.alloc}, {@code dealloc} and {@code relinquish_alloc_permit} (PTX ISA). With {@code cta_group::2} a
 * warp of each CTA of a pair takes part, and whoever comes first waits.
 */
public final class TensorAllocation {
  private static final int LEAST = TensorMemory.UNIT;

  private TensorAllocation() {}

  /** Allocates columns and writes their address to the place in {@link Warp#offsets}; nonzero: wait. */
  public static int allocate(Warp w, int mask, int[] columns, int ctas, int site) {
    trace(w, ctas, site);
    int lane = Integer.numberOfTrailingZeros(mask);
    var memory = TensorMemory.of(w.cta);
    var request = find(w);
    if (request == null) {
      int n = uniform(w, mask, columns, "numbers of columns", site);
      memory.require(ctas, w, lane, site);
      checkSize(w, lane, n, site);
      if (memory.relinquished()) {
        throw fault(w, lane, site, "allocates tensor memory after relinquish_alloc_permit");
      }
      if (memory.last() > 0 && n > memory.last()) {
        throw fault(w, lane, site, "allocates " + n + " columns of tensor memory after " + memory.last()
            + ": sizes must not grow");
      }
      request = new TensorMemory.Request(w, site, n, TensorMemory.Request.ALLOCATE);
      memory.requests.add(request);
    }
    grant(w, ctas, site);
    if (request.waits()) return suspend(w, site);
    memory.requests.remove(request);
    write(w, mask, request.granted, site);
    return 0;
  }

  /** Frees an allocation; nonzero: wait. */
  public static int free(Warp w, int mask, int[] address, int[] columns, int ctas, int site) {
    trace(w, ctas, site);
    int lane = Integer.numberOfTrailingZeros(mask);
    var memory = TensorMemory.of(w.cta);
    var request = find(w);
    if (request == null) {
      int n = uniform(w, mask, columns, "numbers of columns", site);
      int from = uniform(w, mask, address, "addresses", site);
      memory.require(ctas, w, lane, site);
      checkSize(w, lane, n, site);
      if (from < 0 || from >= TmemAddress.COLUMNS || memory.allocated(from) != n) {
        throw fault(w, lane, site, "frees " + n + " columns of tensor memory at 0x" + Integer.toHexString(from)
            + ", where no allocation of that size begins: " + memory.describe());
      }
      request = new TensorMemory.Request(w, site, n, from);
      memory.requests.add(request);
    }
    grant(w, ctas, site);
    if (request.waits()) return suspend(w, site);
    memory.requests.remove(request);
    return 0;
  }

  public static void relinquish(Warp w, int mask, int ctas, int site) {
    TensorMemory.of(w.cta).require(ctas, w, Integer.numberOfTrailingZeros(mask), site);
    TensorMemory.of(w.cta).relinquish();
  }

  private static void trace(Warp w, int ctas, int site) {
    w.cta.state.trace.ifPresent(t -> {
      for (var cta : group(w, 0, ctas, site)) t.uses(SyncObject.tensorMemory(cta), SyncTrace.Use.WRITE, 0, false);
    });
  }

  private static TensorMemory.Request find(Warp w) {
    for (var r : TensorMemory.of(w.cta).requests) if (r.warp == w) return r;
    return null;
  }

  /** The CTAs that an instruction works on, the even one first. */
  static Cta[] group(Warp w, int lane, int ctas, int site) {
    if (ctas == 1) return new Cta[] {w.cta};
    var all = w.cta.cluster.ctas;
    int even = w.cta.rank & ~1;
    if (even + 1 >= all.length) {
      throw fault(w, lane, site, "uses cta_group::2 in a cluster of " + all.length
          + ": launch clusters of an even number of CTAs");
    }
    return new Cta[] {all[even], all[even + 1]};
  }

  /** Serves the oldest requests as long as all CTAs of the group make them and there is room. */
  private static void grant(Warp w, int ctas, int site) {
    var group = group(w, 0, ctas, site);
    while (true) {
      var oldest = new TensorMemory.Request[group.length];
      for (int i = 0; i < group.length; i++) {
        for (var r : TensorMemory.of(group[i]).requests) {
          // What frees columns of one CTA need not wait for who wants some.
          boolean sooner = oldest[i] == null || ctas == 1 && r.freed >= 0 && oldest[i].freed < 0;
          if (r.waits() && sooner) oldest[i] = r;
        }
        if (oldest[i] == null) return;
      }
      if (!serve(group, oldest)) return;
    }
  }

  private static boolean serve(Cta[] group, TensorMemory.Request[] oldest) {
    var first = oldest[0];
    for (var r : oldest) {
      if (r.columns != first.columns || r.freed < 0 != first.freed < 0) {
        throw fault(r.warp, 0, r.site, "and its peer CTA do not allocate or free the same tensor memory: "
            + first.columns + " and " + r.columns + " columns");
      }
    }
    int column = first.freed;
    if (column < 0) {
      column = TensorMemory.of(group[0]).room(first.columns);
      for (var cta : group) if (TensorMemory.of(cta).room(first.columns) != column) column = -1;
      if (column < 0) return false;
    }
    for (int i = 0; i < group.length; i++) {
      var memory = TensorMemory.of(group[i]);
      if (oldest[i].freed < 0) {
        memory.take(column, first.columns, oldest[i].site);
        if (TensorWatch.of(memory.cta) != null) TensorWatch.of(memory.cta).allocated(oldest, column, first.columns);
      } else {
        var r = oldest[i];
        if (TensorWatch.of(group[i]) != null) TensorWatch.of(group[i]).free(r.warp, r.freed, r.columns, r.site);
        memory.free(r.freed);
      }
      oldest[i].granted = column;
      oldest[i].warp.resume(LaneGroup.State.AT_TENSOR_MEMORY);
    }
    return true;
  }

  private static int suspend(Warp w, int site) {
    w.current.state = LaneGroup.State.AT_TENSOR_MEMORY;
    w.current.site = site;
    return 1;
  }

  private static void write(Warp w, int mask, int address, int site) {
    Arrays.fill(w.scratch, address);
    if (w.cta.watch != null) {
      // The warp writes as one, so that no lane's earlier read can come later.
      Probes.meet(w, mask);
      Probes.storing(w, mask, site);
      Probes.value(w, mask, Integer.BYTES, w.scratch);
      w.cta.watch.shared(w, mask, Integer.BYTES, Access.WRITE, site);
    }
    int at = w.offsets[Integer.numberOfTrailingZeros(mask)];
    for (int i = 0; i < Integer.BYTES; i++) w.cta.shared[at + i] = (byte) (address >>> Byte.SIZE * i);
  }

  private static void checkSize(Warp w, int lane, int columns, int site) {
    if (columns < LEAST || columns > TmemAddress.COLUMNS || Integer.bitCount(columns) != 1) {
      throw fault(w, lane, site, "names " + columns
          + " columns of tensor memory: the number must be a power of two from 32 to 512");
    }
  }

  /** The value that all lanes must hold. */
  static int uniform(Warp w, int mask, int[] values, String what, int site) {
    int first = values[Integer.numberOfTrailingZeros(mask)];
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (values[lane] != first) {
        throw fault(w, lane, site, "executes a tcgen05 instruction with its warp, but their " + what + " differ: 0x"
            + Integer.toHexString(values[lane]) + " and 0x" + Integer.toHexString(first));
      }
    }
    return first;
  }

  static Fault fault(Warp w, int lane, int site, String what) {
    return new Fault(Kind.INVALID_OPERATION, site, lane, 0, w.who(lane) + " " + what);
  }
}
