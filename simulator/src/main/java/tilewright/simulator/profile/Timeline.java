package tilewright.simulator.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tilewright.simulator.Profile.Slice;
import tilewright.simulator.core.Cta;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Warp;

/**
 * When the warps of a launch's first CTAs ran and waited. Time is the number of warp instructions that the CTA has
 * executed, so that equal seeds give equal timelines.
 */
public final class Timeline {
  public static final int MOST_CTAS = 64;
  private static final int MOST_SLICES = 1 << 16;

  private final List<Slice> slices = new ArrayList<>();

  /** One CTA's part of it. */
  public final class Recorder {
    private final Cta cta;
    private final long[] since;
    private final int[] waitsAt;
    private long now;

    public Recorder(Cta cta) {
      this.cta = cta;
      since = new long[cta.warps.length];
      waitsAt = new int[cta.warps.length];
      java.util.Arrays.fill(waitsAt, Fault.NO_SITE);
    }

    public void executed(int instructions) {
      now += instructions;
    }

    /** The warp begins or goes on. */
    public void runs(Warp w) {
      if (waitsAt[w.index] == Fault.NO_SITE) return;
      var site = cta.kernel.sites().get(waitsAt[w.index]);
      end(w, site.text(), site.line());
      waitsAt[w.index] = Fault.NO_SITE;
    }

    /** The warp has stopped running: it waits, or has exited. */
    public void stops(Warp w) {
      end(w, "run", 0);
      if (!w.finished()) waitsAt[w.index] = w.groups.getFirst().site;
    }

    private void end(Warp w, String what, int line) {
      add(new Slice(cta.position, w.index, what, line, since[w.index], now));
      since[w.index] = now;
    }
  }

  private synchronized void add(Slice slice) {
    if (slice.end() > slice.begin() && slices.size() < MOST_SLICES) slices.add(slice);
  }

  synchronized List<Slice> slices() {
    var order = Comparator.comparingInt((Slice s) -> s.block().z()).thenComparingInt(s -> s.block().y())
        .thenComparingInt(s -> s.block().x()).thenComparingInt(Slice::warp).thenComparingLong(Slice::begin);
    return slices.stream().sorted(order).toList();
  }
}
