package tilewright.simulator.core;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.simulator.Finding;

/**
 * The occurrences of one mistake: how many, by which pairs of instructions, and an example. Of races, the example is
 * one of the widest reach, so that its fix mends the others too; of these, one in the lowest block.
 */
final class Cause {
  static final Comparator<Cause> IN_ORDER =
      Comparator.comparingInt(Cause::high).thenComparingInt(Cause::low).thenComparing(Cause::finding, Findings.ORDER);
  /** What no barrier of the block orders comes before what one orders, by its reach, and that before the rest. */
  private static final Comparator<Findings.Report> BETTER =
      Comparator.comparing((Findings.Report r) -> r.reach() == Reach.BEYOND)
          .thenComparing(r -> r.lacksABarrier() ? r.reach() : Reach.NONE)
          .thenComparing(r -> r.cta().number, Comparator.reverseOrder());
  /** Pairs of lines that are named besides the example's. */
  private static final int MOST_NAMED = 3;

  private final List<Site> sites;
  private final Set<Pair> pairs = new HashSet<>();
  private Findings.Report example;
  private String message = "";
  private long count;
  private Reach widest = Reach.NONE;
  private boolean early;

  /** Two instructions, in PTX order. */
  private record Pair(int low, int high) {
    static Pair of(Findings.Report r) {
      return new Pair(Math.min(r.site(), r.otherSite()), Math.max(r.site(), r.otherSite()));
    }
  }

  Cause(List<Site> sites) {
    this.sites = sites;
  }

  /** Counts an occurrence. */
  void count(Findings.Report r) {
    count++;
    widen(r.reach());
    if (r.other().isPresent()) pairs.add(Pair.of(r));
  }

  private void widen(Reach reach) {
    if (reach.compareTo(widest) > 0) widest = reach;
  }

  /** Whether this occurrence is the better example. Workers report in any order, which must not show. */
  boolean isLedBy(Findings.Report r) {
    return example == null || BETTER.compare(r, example) > 0;
  }

  void lead(Findings.Report r, String text) {
    example = r;
    message = text;
  }

  /** Whether a barrier between the two instructions of each pair mends it. */
  boolean lacksABarrier() {
    return example.lacksABarrier();
  }

  /** The last instruction that a barrier has to stand behind. */
  private int low() {
    return pairs.stream().mapToInt(Pair::low).max().orElse(example.site());
  }

  /** The first instruction that it has to stand before. */
  private int high() {
    return pairs.stream().mapToInt(Pair::high).min().orElse(example.site());
  }

  /** Takes another cause in if one barrier mends both: pairs of instructions are intervals, and a barrier a point. */
  boolean joins(Cause other) {
    if (Math.max(low(), other.low()) >= Math.min(high(), other.high())) return false;
    if (isLedBy(other.example)) lead(other.example, other.message);
    count += other.count;
    widen(other.widest);
    pairs.addAll(other.pairs);
    return true;
  }

  /** Takes in a read of unwritten bytes as a consequence of a race: the other thread's write came too late for it. */
  boolean explains(Cause read) {
    var load = sites.get(read.example.loadSite()).place();
    boolean same = pairs.stream().anyMatch(p -> place(p.low).equals(load) || place(p.high).equals(load));
    early |= same;
    return same;
  }

  boolean isUnwrittenRead() {
    return example.kind() == Finding.Kind.UNINITIALIZED_READ && example.loadSite() != Fault.NO_SITE;
  }

  Finding finding() {
    var at = example.site() == Fault.NO_SITE ? Site.NOWHERE : sites.get(example.site());
    var text = message + also() + (early ? "; reads there also found bytes that nobody had written yet" : "");
    return new Finding(example.kind(), text, fix(), at.line(), at.text(), at.source(), example.cta().position,
        example.thread(), example.address(), example.other(), count).among(pairs.size());
  }

  private String fix() {
    if (!lacksABarrier()) return example.fix();
    var gap = low() < high() ? new Pair(low(), high()) : Pair.of(example);
    return widest.advice(sites.get(gap.low), sites.get(gap.high));
  }

  /** The other pairs of lines that the same barrier orders. */
  private String also() {
    if (!lacksABarrier()) return "";
    var lines = pairs.stream().map(this::between).filter(l -> !l.equals(between(Pair.of(example)))).distinct().sorted()
        .toList();
    var named = lines.stream().limit(MOST_NAMED).map(l -> "; also between " + l).collect(Collectors.joining());
    return named + (lines.size() > MOST_NAMED ? "; and " + (lines.size() - MOST_NAMED) + " more" : "");
  }

  private String between(Pair p) {
    return place(p.low) + " and " + place(p.high);
  }

  private String place(int site) {
    return sites.get(site).place();
  }
}
