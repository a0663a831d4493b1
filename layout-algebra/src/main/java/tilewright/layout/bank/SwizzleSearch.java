package tilewright.layout.bank;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/**
 * The smallest swizzle without bank conflicts: fewest bits, then the smallest block 2^(B+M+|S|), then the smallest
 * shift, then downwards before upwards. Candidates leave the elements of one access together and stay in the memory's
 * block.
 */
public final class SwizzleSearch {
  private final Layout memory;
  private final int elementBytes;
  private final List<AccessPattern> patterns;
  private final BankGeometry geometry;

  private SwizzleSearch(Layout memory, int elementBytes, List<AccessPattern> patterns, BankGeometry geometry) {
    this.memory = memory;
    this.elementBytes = ElementBytes.check(elementBytes);
    this.patterns = patterns;
    this.geometry = geometry;
  }

  /**
   * Decides by trying all candidates; there are fewer than n³ for a memory of 2^n elements.
   *
   * @throws IllegalArgumentException if a lane's address is no multiple of its access, a stride is negative, or an
   *     element has no bytes
   */
  public static Decision<Swizzle> smallest(Layout memory, int elementBytes, List<AccessPattern> patterns,
      BankGeometry geometry) {
    return new SwizzleSearch(memory, elementBytes, List.copyOf(patterns), geometry).decide();
  }

  /** The search for NVIDIA's shared memory. */
  public static Decision<Swizzle> smallest(Layout memory, int elementBytes, List<AccessPattern> patterns) {
    return smallest(memory, elementBytes, patterns, BankGeometry.SHARED_MEMORY);
  }

  private Decision<Swizzle> decide() {
    var candidates = candidates();
    for (var i = 0; i < candidates.size(); i++) {
      if (free(candidates.get(i), patterns)) {
        var found = candidates.get(i);
        return new Decision.Defined<>(found, new ConflictFreeCertificate(found, memory, elementBytes, geometry,
            analyses(found), candidates.subList(0, i)));
      }
    }
    return new Decision.Undefined<>("find_swizzle(" + memory + ")",
        "one of the " + candidates.size() + " swizzles up to " + candidates.getLast()
            + " frees every phase of conflicts",
        OptionalInt.empty(), reason(candidates), Optional.empty());
  }

  private List<BankAnalysis> analyses(Swizzle swizzle) {
    var swizzled = new ComposedLayout(swizzle, 0, memory);
    return patterns.stream().map(pattern -> BankAnalysis.of(swizzled, elementBytes, pattern, geometry)).toList();
  }

  private boolean free(Swizzle swizzle, List<AccessPattern> some) {
    OffsetMap swizzled = new ComposedLayout(swizzle, 0, memory);
    return some.stream().allMatch(pattern -> BankAnalysis.of(swizzled, elementBytes, pattern, geometry).conflictFree());
  }

  /** Candidate swizzles, from the smallest on. */
  private List<Swizzle> candidates() {
    var bits = memoryBits();
    var base = patterns.stream().mapToInt(pattern -> bitsFor(pattern.accessBytes() / elementBytes)).max().orElse(0);
    var candidates = new ArrayList<Swizzle>();
    candidates.add(new Swizzle(0, base, 0));
    for (var b = 1; base + 2 * b <= bits; b++) {
      for (var block = base; block <= bits; block++) {
        for (var shift = b; base + b + shift <= block; shift++) {
          candidates.add(new Swizzle(b, block - b - shift, shift));
          candidates.add(new Swizzle(b, block - b - shift, -shift));
        }
      }
    }
    return candidates;
  }

  private int memoryBits() {
    for (long stride : memory.flatStride()) {
      if (stride < 0) {
        throw new IllegalArgumentException(memory + " has the negative stride " + stride
            + ": a swizzle moves bits of offsets that are not negative");
      }
    }
    return bitsFor(memory.cosize());
  }

  /** The least n such that 2^n is as large. */
  private static int bitsFor(long elements) {
    return Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, elements - 1));
  }

  private String reason(List<Swizzle> candidates) {
    for (var pattern : patterns) {
      var phases = BankAnalysis.of(memory, elementBytes, pattern, geometry).phases();
      for (var i = 0; i < phases.size(); i++) {
        var number = i;
        var conflicting = candidates.stream().map(swizzle -> BankAnalysis.of(new ComposedLayout(swizzle, 0, memory),
            elementBytes, pattern, geometry).phases().get(number)).filter(phase -> !phase.conflictFree()).toList();
        if (conflicting.size() < candidates.size()) continue;
        var best = conflicting.stream().min(Comparator.comparingInt(AccessPhase::wavefronts)).orElseThrow();
        return "the phase of lane " + best.firstLane() + " of " + pattern.name() + " takes " + best.wavefronts()
            + " wavefronts with the best of them and " + best.ideal() + " without conflicts";
      }
    }
    return "each phase alone has one, but none frees all " + patterns.size() + " accesses together";
  }
}
