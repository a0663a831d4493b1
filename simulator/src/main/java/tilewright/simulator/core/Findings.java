package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tilewright.ptx.Dim3;
import tilewright.simulator.Finding;

/** Collects what is wrong with a launch: one finding an instruction and kind, the first block's. */
final class Findings {
  private record Key(Finding.Kind kind, int site) {}

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

  synchronized void add(Finding.Kind kind, int site, Cta cta, Dim3 thread, long address,
      Supplier<String> message) {
    var entry = entries.computeIfAbsent(new Key(kind, site), _ -> new Entry());
    entry.count++;
    // Workers report in any order; the lowest block makes the report the same on every machine.
    if (entry.first != null && entry.block <= cta.number) return;
    var at = site == Fault.NO_SITE ? Site.NOWHERE : sites.get(site);
    entry.first = new Finding(kind, message.get(), at.line(), at.source(), cta.position, thread, address, 0);
    entry.block = cta.number;
  }

  synchronized List<Finding> list() {
    var list = new ArrayList<Finding>();
    for (var e : entries.values()) {
      var f = e.first;
      list.add(new Finding(f.kind(), f.message(), f.line(), f.source(), f.block(), f.thread(), f.address(), e.count));
    }
    list.sort(Comparator.comparing((Finding f) -> !f.kind().stops()).thenComparingInt(Finding::line)
        .thenComparing(Finding::kind));
    return list;
  }
}
