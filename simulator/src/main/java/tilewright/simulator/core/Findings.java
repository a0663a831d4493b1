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

/** Collects what is wrong with a launch: one finding a kind and instruction (or pair, for races), the first block's. */
final class Findings {
  private record Key(Finding.Kind kind, int site, int otherSite) {}

  /** What is known of a finding before anybody wants its text. */
  record Report(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address, String fix,
      Optional<Finding.Access> other, int otherSite) {
    Report(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address, String fix) {
      this(kind, site, cta, thread, address, fix, Optional.empty(), Fault.NO_SITE);
    }

    /** Of two accesses that race either may come first. */
    Key key() {
      return other.isEmpty() ? new Key(kind, site, site)
          : new Key(kind, Math.min(site, otherSite), Math.max(site, otherSite));
    }
  }

  private static final class Entry {
    Finding first;
    long block;
    long count;
  }

  private final List<Site> sites;
  private final Map<Key, Entry> entries = new HashMap<>();

  Findings(List<Site> sites) {
    this.sites = sites;
  }

  synchronized void add(Report r, Supplier<String> message) {
    var entry = entries.computeIfAbsent(r.key(), _ -> new Entry());
    entry.count++;
    // Workers report in any order; the lowest block makes the report the same on every machine.
    if (entry.first != null && entry.block <= r.cta().number) return;
    var at = r.site() == Fault.NO_SITE ? Site.NOWHERE : sites.get(r.site());
    entry.first = new Finding(r.kind(), message.get(), r.fix(), at.line(), at.text(), at.source(), r.cta().position,
        r.thread(), r.address(), r.other(), 0);
    entry.block = r.cta().number;
  }

  void add(Fault f, Cta cta, Dim3 thread) {
    add(new Report(f.kind, f.site, cta, thread, f.address, f.kind.fix()), f::getMessage);
  }

  synchronized List<Finding> list() {
    var list = new ArrayList<Finding>();
    for (var e : entries.values()) list.add(e.first.times(e.count));
    list.sort(Comparator.comparing((Finding f) -> !f.kind().stops()).thenComparingInt(Finding::line)
        .thenComparing(Finding::kind).thenComparing(f -> f.other().map(Finding.Access::line).orElse(0)));
    return list;
  }
}
