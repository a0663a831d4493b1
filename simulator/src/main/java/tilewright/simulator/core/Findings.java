package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import tilewright.ptx.Dim3;
import tilewright.simulator.Finding;

/**
 * Collects what is wrong with a launch: one finding a kind and instruction (or pair, for races), the first block's. A
 * missing proxy fence is one finding for all accesses of one straight stretch of code to what another one wrote: a
 * single fence mends them.
 */
public final class Findings {
  /** A finding's identity; for a missing proxy fence the sites are basic blocks. */
  private record Key(Finding.Kind kind, int site, int otherSite) {}

  private record Pair(int site, int otherSite) {}

  /** A finding before its text is made. */
  public record Report(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address, String fix,
      Optional<Finding.Access> other, int otherSite) {
    public Report(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address, String fix) {
      this(kind, site, cta, thread, address, fix, Optional.empty(), Fault.NO_SITE);
    }
  }

  private static final class Entry {
    Finding first;
    long block;
    long count;
    final Set<Pair> pairs = new HashSet<>();
  }

  private final List<Site> sites;
  /** By site, the basic block. */
  private final int[] blocks;
  private final Map<Key, Entry> entries = new HashMap<>();

  Findings(Kernel kernel) {
    sites = kernel.sites();
    blocks = new int[sites.size()];
    for (int b = 0; b < kernel.blocks().size(); b++) for (int site : kernel.blocks().get(b).sites()) blocks[site] = b;
  }

  private Key key(Report r) {
    if (r.other.isEmpty()) return new Key(r.kind, r.site, r.site);
    if (r.kind == Finding.Kind.MISSING_PROXY_FENCE) return new Key(r.kind, blocks[r.site], blocks[r.otherSite]);
    // Of two accesses that race either may come first.
    return new Key(r.kind, Math.min(r.site, r.otherSite), Math.max(r.site, r.otherSite));
  }

  public synchronized void add(Report r, Supplier<String> message) {
    var entry = entries.computeIfAbsent(key(r), _ -> new Entry());
    entry.count++;
    if (r.kind() == Finding.Kind.MISSING_PROXY_FENCE) entry.pairs.add(new Pair(r.site(), r.otherSite()));
    // Workers report in any order; the lowest block makes the report the same on every machine.
    if (entry.first != null && entry.block <= r.cta().number) return;
    var at = r.site() == Fault.NO_SITE ? Site.NOWHERE : sites.get(r.site());
    entry.first = new Finding(r.kind(), message.get(), r.fix(), at.line(), at.text(), at.source(), r.cta().position,
        r.thread(), r.address(), r.other(), 0);
    entry.block = r.cta().number;
  }

  public void add(Fault f, Cta cta, Dim3 thread) {
    add(new Report(f.kind, f.site, cta, thread, f.address, f.kind.fix()), f::getMessage);
  }

  public synchronized List<Finding> list() {
    var list = new ArrayList<Finding>();
    for (var e : entries.values()) list.add(e.first.times(e.count).among(e.pairs.size()));
    list.sort(Comparator.comparing((Finding f) -> !f.kind().stops()).thenComparingInt(Finding::line)
        .thenComparing(Finding::kind).thenComparing(f -> f.other().map(Finding.Access::line).orElse(0)));
    return list;
  }
}
