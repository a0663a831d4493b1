package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import tilewright.layout.tuple.IntTuple;

/** Morphisms to try laws on: all small flat ones, and random nested ones with extents of 1 and base points. */
final class Morphisms {
  private Morphisms() {}

  /** Every flat tuple of at most this length with extents up to this. */
  static List<IntTuple> tuples(int length, long extents) {
    var tuples = new ArrayList<IntTuple>();
    extend(List.of(), length, extents, tuples);
    return tuples;
  }

  private static void extend(List<Long> begin, int length, long extents, List<IntTuple> tuples) {
    tuples.add(Trees.flat(begin));
    if (begin.size() == length) return;
    for (long extent = 1; extent <= extents; extent++) {
      var more = new ArrayList<>(begin);
      more.add(extent);
      extend(more, length, extents, tuples);
    }
  }

  /** Every morphism between two tuples. */
  static void each(IntTuple domain, IntTuple codomain, Consumer<TupleMorphism> law) {
    each(domain, codomain, new ArrayList<>(), law);
  }

  private static void each(IntTuple domain, IntTuple codomain, List<Integer> map, Consumer<TupleMorphism> law) {
    long[] from = domain.flatten();
    long[] to = codomain.flatten();
    if (map.size() == from.length) {
      law.accept(new TupleMorphism(domain, codomain, map));
      return;
    }
    for (int position = 0; position <= to.length; position++) {
      if (position != 0 && (map.contains(position) || to[position - 1] != from[map.size()])) continue;
      map.add(position);
      each(domain, codomain, map, law);
      map.removeLast();
    }
  }

  static Arbitrary<TupleMorphism> any() {
    return Arbitraries.randomValue(random -> to(tuple(random, 4), random, 3)).filter(f -> f.size() <= 200);
  }

  /** Morphisms without base points. */
  static Arbitrary<TupleMorphism> total() {
    return Arbitraries.randomValue(random -> to(tuple(random, 4), random, 0));
  }

  /** A tuple of at most this many integers, as a random tree. */
  static IntTuple tuple(Random random, int length) {
    var extents = new ArrayList<Long>();
    for (int i = random.nextInt(length + 1); i > 0; i--) extents.add(extent(random));
    return nest(extents, random);
  }

  private static long extent(Random random) {
    return List.of(1L, 2L, 2L, 3L, 4L, 6L).get(random.nextInt(6));
  }

  /** A morphism to this codomain with up to {@code lost} extents that have no position. */
  static TupleMorphism to(IntTuple codomain, Random random, int lost) {
    long[] extents = codomain.flatten();
    var positions = new ArrayList<Integer>();
    for (int position = 1; position <= extents.length; position++) {
      if (random.nextInt(4) != 0) positions.add(position);
    }
    for (int i = random.nextInt(lost + 1); i > 0; i--) positions.add(0);
    Collections.shuffle(positions, random);
    var domain = positions.stream().map(p -> p == 0 ? extent(random) : extents[p - 1]).toList();
    return new TupleMorphism(nest(domain, random), codomain, positions);
  }

  /** A morphism from this domain; its codomain has further integers. */
  static TupleMorphism from(IntTuple domain, Random random) {
    var extents = new ArrayList<Long>();
    var sources = new ArrayList<Integer>();
    long[] from = domain.flatten();
    for (int i = 0; i < from.length; i++) {
      if (random.nextInt(4) != 0) sources.add(i);
    }
    for (int i = random.nextInt(3); i > 0; i--) sources.add(-1);
    Collections.shuffle(sources, random);
    for (int source : sources) extents.add(source < 0 ? extent(random) : from[source]);
    var map = new ArrayList<Integer>();
    for (int i = 0; i < from.length; i++) map.add(sources.indexOf(i) + 1);
    return new TupleMorphism(domain, nest(extents, random), map);
  }

  /** Splits some integers of a tuple into a product. */
  static IntTuple refine(IntTuple tuple, Random random) {
    var parts = new ArrayList<IntTuple>();
    for (long extent : tuple.flatten()) {
      var factors = new ArrayList<Long>();
      long left = extent;
      for (long factor = 1; factor <= 3; factor++) {
        if (left % factor == 0 && random.nextInt(3) == 0) {
          factors.add(factor);
          left /= factor;
        }
      }
      factors.add(left);
      parts.add(factors.size() == 1 ? IntTuple.of(extent) : nest(factors, random));
    }
    return Trees.substitute(tuple, parts);
  }

  private static IntTuple nest(List<Long> extents, Random random) {
    if (extents.size() == 1 && random.nextBoolean()) return IntTuple.of(extents.getFirst());
    var modes = new ArrayList<IntTuple>();
    for (int begin = 0; begin < extents.size();) {
      int end = begin + 1 + random.nextInt(extents.size() - begin);
      boolean whole = begin == 0 && end == extents.size() && extents.size() > 1;
      if (end == begin + 1) modes.add(IntTuple.of(extents.get(begin)));
      else modes.add(whole ? Trees.flat(extents) : nest(extents.subList(begin, end), random));
      begin = end;
    }
    return IntTuple.of(modes);
  }
}
