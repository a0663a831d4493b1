package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import tilewright.ptx.Dim3;
import tilewright.simulator.Finding;

/**
 * Collects what is wrong with a launch. Occurrences of one kind at one line of the source, or pair of lines for races,
 * are one finding; where the source is not known, at one instruction or pair of them. Races that one barrier would
 * order are one finding too, with the reads that came too early in consequence. A missing proxy fence is one finding
 * for all accesses of one straight stretch of code to what another one wrote: a single fence mends them.
 */
public final class Findings {
  static final Comparator<Finding> ORDER = Comparator.comparing((Finding f) -> !f.kind().stops())
      .thenComparingInt(Finding::line).thenComparing(Finding::kind)
      .thenComparing(f -> f.other().map(Finding.Access::line).orElse(0)).thenComparing(Finding::message);

  /** A finding's identity by places in the source; for a missing proxy fence they are basic blocks. */
  private record Key(Finding.Kind kind, int place, int otherPlace) {}

  /**
   * A finding before its text is made.
   *
   * @param otherSite of the access it conflicts with, or of the load that found unwritten bytes; numbers behind those
   *     of the kernel's instructions stand for instructions of kernels on other devices
   * @param fix the empty text where a barrier is the fix, which {@code reach} tells
   */
  public record Report(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address, String fix,
      Optional<Finding.Access> other, int otherSite, Reach reach) {
    public Report(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address, String fix,
        Optional<Finding.Access> other, int otherSite) {
      this(kind, site, cta, thread, address, fix, other, otherSite, Reach.NONE);
    }

    public Report(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address, String fix) {
      this(kind, site, cta, thread, address, fix, Optional.empty(), Fault.NO_SITE);
    }

    /** Whether a barrier of the block or warp would order the two accesses. */
    boolean lacksABarrier() {
      return fix.isEmpty();
    }

    int loadSite() {
      return other.isPresent() ? otherSite : site;
    }
  }

  private final List<Site> sites;
  /** By site, the basic block. */
  private final int[] blocks;
  /** By site, the first site of the same line of the source. */
  private final int[] places;
  private final Map<Key, Cause> causes = new HashMap<>();

  Findings(Kernel kernel) {
    sites = kernel.sites();
    blocks = new int[sites.size()];
    for (int b = 0; b < kernel.blocks().size(); b++) for (int site : kernel.blocks().get(b).sites()) blocks[site] = b;
    places = new int[sites.size()];
    var lines = new HashMap<String, Integer>();
    for (int site = 0; site < places.length; site++) {
      var source = sites.get(site).source();
      int own = site;
      places[site] = source.isEmpty() ? site : lines.computeIfAbsent(source, _ -> own);
    }
  }

  private Key key(Report r) {
    if (r.other.isEmpty() || isUseOfALine(r)) return new Key(r.kind, place(r.loadSite()), Fault.NO_SITE);
    if (r.kind == Finding.Kind.MISSING_PROXY_FENCE) return new Key(r.kind, blocks[r.site], block(r.otherSite));
    // Of two accesses that race either may come first.
    int place = place(r.site);
    int other = place(r.otherSite);
    return new Key(r.kind, Math.min(place, other), Math.max(place, other));
  }

  /** Whatever uses unwritten bytes that one line of the source loads: the load is the mistake. */
  private boolean isUseOfALine(Report r) {
    return r.kind == Finding.Kind.UNINITIALIZED_READ && !sites.get(r.otherSite).source().isEmpty();
  }

  private int place(int site) {
    return isOwn(site) ? places[site] : site;
  }

  private int block(int site) {
    return isOwn(site) ? blocks[site] : site;
  }

  /** Whether a number is that of an instruction of this kernel, and not of one that runs on another device. */
  private boolean isOwn(int site) {
    return site != Fault.NO_SITE && site < places.length;
  }

  public synchronized void add(Report r, Supplier<String> message) {
    var cause = causes.computeIfAbsent(key(r), _ -> new Cause(sites));
    cause.count(r);
    if (cause.isLedBy(r)) cause.lead(r, message.get());
  }

  public void add(Fault f, Cta cta, Dim3 thread) {
    add(new Report(f.kind, f.site, cta, thread, f.address, f.kind.fix()), f::getMessage);
  }

  public synchronized boolean isEmpty() {
    return causes.isEmpty();
  }

  public synchronized List<Finding> list() {
    var barriers = barriers();
    var all = new ArrayList<>(barriers);
    for (var cause : causes.values()) {
      boolean told = cause.lacksABarrier()
          || cause.isUnwrittenRead() && barriers.stream().anyMatch(barrier -> barrier.explains(cause));
      if (!told) all.add(cause);
    }
    return all.stream().map(Cause::finding).sorted(ORDER).toList();
  }

  /** The fewest barriers that order all accesses that barriers would: the intervals that end first come first. */
  private List<Cause> barriers() {
    var barriers = new ArrayList<Cause>();
    causes.values().stream().filter(Cause::lacksABarrier).sorted(Cause.IN_ORDER).forEach(cause -> {
      if (barriers.stream().noneMatch(barrier -> barrier.joins(cause))) barriers.add(cause);
    });
    return barriers;
  }
}
