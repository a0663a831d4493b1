package tilewright.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import tilewright.layout.Modes.Mode;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Certificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.Witness;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;
import tilewright.layout.tuple.TupleArithmetic;

/** Layouts over elements of another width: upcast counts vectors of elements, downcast parts of elements. */
public final class Recast {
  private Recast() {}

  /**
   * R over vectors of n elements: R(c') = ⌊layout(c) / n⌋, where c' counts, in each mode whose stride lies within a
   * vector, whole vectors.
   */
  public static Decision<Layout> up(Layout layout, long n, Casting casting) {
    var operation = "upcast<" + n + ">(" + layout + ")";
    requirePositive(operation, n);
    var modes = Modes.of(layout).list();
    var cast = new ArrayList<Mode>();
    var within = new ArrayList<Mode>();
    for (int i = 0; i < modes.size(); i++) {
      var mode = modes.get(i);
      long width = Math.absExact(mode.stride());
      if (mode.extent() > 1 && width % n != 0 && (width == 0 || n % width != 0)) {
        return refused(operation, "of each stride and " + n + ", one divides the other", i, "stride " + mode.stride());
      }
      long inVector = elementsInVector(mode, n);
      if (casting == Casting.LOSSLESS && mode.extent() % inVector != 0) {
        return refused(operation, "each mode fills its vectors", i,
            "extent " + mode.extent() + ", vectors hold " + inVector);
      }
      within.add(new Mode(inVector, mode.stride()));
      cast.add(new Mode(Math.ceilDiv(mode.extent(), inVector), up(mode.stride(), n)));
    }
    if (casting == Casting.LOSSLESS && !Modes.flat(within).isSurjectiveOnto(n)) {
      return Decision.Undefined.of(operation, "the elements fill each vector",
          Modes.flat(within).coalesce() + " does not reach 0…" + (n - 1));
    }
    var result = Modes.flat(cast).unflatten(layout.shape());
    var certificate = new UpcastCertificate(layout, n, result);
    if (casting != Casting.CUTE && !certificate.holds()) return straddling(operation, layout, n);
    return new Decision.Defined<>(result, certificate);
  }

  private static long up(long stride, long n) {
    return Long.signum(stride) * Math.ceilDiv(Math.absExact(stride), n);
  }

  /** How many neighbours in a mode share a vector. */
  static long elementsInVector(Mode mode, long n) {
    return mode.extent() == 1 || mode.stride() == 0 ? 1 : Math.ceilDiv(n, Math.absExact(mode.stride()));
  }

  /**
   * The last element of the first vector of each mode lies in another vector than theirs: any mode that runs down
   * leaves it alone, those that run up leave it together.
   */
  private static Decision<Layout> straddling(String operation, Layout layout, long n) {
    var modes = Modes.of(layout).list();
    long[] corner = modes.stream().mapToLong(m -> Math.min(elementsInVector(m, n), m.extent()) - 1).toArray();
    int sign = IntStream.range(0, corner.length).anyMatch(i -> corner[i] * modes.get(i).stride() < 0) ? -1 : 1;
    for (int i = 0; i < corner.length; i++) {
      if (Long.signum(modes.get(i).stride()) != sign) corner[i] = 0;
    }
    var coordinate = IntTuple.flat(corner).unflatten(layout.shape());
    long offset = layout.apply(coordinate);
    return new Decision.Undefined<>(operation, "the modes within a vector stay within it", OptionalInt.empty(),
        "offset " + offset + " is not in 0…" + (n - 1), Optional.of(new Witness(coordinate,
            Coordinates.index(coordinate, layout.shape()), Math.floorDiv(offset, n), 0)));
  }

  /**
   * R over n parts of each element, which follow each other along the first mode of stride 1: R = n · layout + part.
   */
  public static Decision<Layout> down(Layout layout, long n, Casting casting) {
    var operation = "downcast<" + n + ">(" + layout + ")";
    requirePositive(operation, n);
    var modes = Modes.of(layout).list();
    int widened = widened(modes);
    boolean negative = casting == Casting.CUTE && modes.stream().anyMatch(m -> m.stride() == -1);
    if (widened < 0 && !negative) {
      return Decision.Undefined.of(operation, "a mode has stride 1, so that the parts of an element are neighbours",
          "strides " + layout.stride());
    }
    var cast = new ArrayList<Mode>();
    for (int i = 0; i < modes.size(); i++) {
      var mode = modes.get(i);
      boolean wider = casting == Casting.CUTE ? Math.absExact(mode.stride()) == 1 : i == widened;
      cast.add(wider ? new Mode(Math.multiplyExact(mode.extent(), n), mode.stride())
          : new Mode(mode.extent(), Math.multiplyExact(mode.stride(), n)));
    }
    var result = Modes.flat(cast).unflatten(layout.shape());
    return new Decision.Defined<>(result, new DowncastCertificate(layout, n, widened, result));
  }

  /** The first mode of stride 1, one of several elements if there is any; −1 for none. */
  private static int widened(List<Mode> modes) {
    int widened = -1;
    for (int i = 0; i < modes.size(); i++) {
      if (modes.get(i).stride() != 1) continue;
      if (modes.get(i).extent() > 1) return i;
      if (widened < 0) widened = i;
    }
    return widened;
  }

  /** Recasts elements of one width to another, through the widest that both are multiples of. */
  public static Decision<Layout> of(Layout layout, long fromBits, long toBits, Casting casting) {
    var operation = "recast<" + fromBits + "," + toBits + ">(" + layout + ")";
    requirePositive(operation, Math.min(fromBits, toBits));
    long part = TupleArithmetic.gcd(fromBits, toBits);
    if (fromBits == part) return as(operation, up(layout, toBits / part, casting));
    return switch (down(layout, fromBits / part, casting)) {
      case Decision.Undefined<Layout> undefined -> undefined.as(operation);
      case Decision.Defined<Layout>(var parts, var certificate) when toBits == part ->
          new Decision.Defined<>(parts, certificate);
      case Decision.Defined<Layout>(var parts, var first) -> switch (up(parts, toBits / part, casting)) {
        case Decision.Undefined<Layout> undefined -> undefined.as(operation);
        case Decision.Defined<Layout>(var vectors, var second) ->
            new Decision.Defined<>(vectors, new ByModeCertificate(List.of(first, second)));
      };
    };
  }

  private static Decision<Layout> as(String operation, Decision<Layout> decision) {
    return decision instanceof Decision.Undefined<Layout> undefined ? undefined.as(operation) : decision;
  }

  private static Decision<Layout> refused(String operation, String condition, int mode, String numbers) {
    return new Decision.Undefined<>(operation, condition, OptionalInt.of(mode), numbers, Optional.empty());
  }

  private static void requirePositive(String operation, long n) {
    if (n < 1) throw new IllegalArgumentException(operation + ": widths are at least 1, got " + n);
  }

  /** Each mode counts vectors, and what lies within a vector cannot add up to leave it. */
  record UpcastCertificate(Layout layout, long n, Layout vectors) implements Certificate {
    @Override
    public boolean holds() {
      var elements = Modes.of(layout).list();
      var cast = Modes.of(vectors).list();
      long within = 0;
      for (int i = 0; i < elements.size(); i++) {
        var mode = elements.get(i);
        if (mode.extent() <= 1) continue;
        long inVector = elementsInVector(mode, n);
        if (cast.get(i).extent() != Math.ceilDiv(mode.extent(), inVector)) return false;
        if (Math.multiplyExact(cast.get(i).stride(), n) != Math.multiplyExact(mode.stride(), inVector)) return false;
        if (inVector > 1 && mode.stride() < 0) return false;
        within = Math.addExact(within, (Math.min(inVector, mode.extent()) - 1) * mode.stride());
      }
      return within < n;
    }

    @Override
    public String explain() {
      return "each mode of " + vectors + " counts vectors of " + n + ", which what lies within them does not leave";
    }
  }

  /** One mode of stride 1 counts parts, each other stride is as many parts as before elements. */
  record DowncastCertificate(Layout layout, long n, int widened, Layout parts) implements Certificate {
    @Override
    public boolean holds() {
      var elements = Modes.of(layout).list();
      var cast = Modes.of(parts).list();
      for (int i = 0; i < elements.size(); i++) {
        var mode = elements.get(i);
        var expected = i == widened ? new Mode(Math.multiplyExact(mode.extent(), n), 1)
            : new Mode(mode.extent(), Math.multiplyExact(mode.stride(), n));
        if (!cast.get(i).equals(expected)) return false;
      }
      return widened >= 0 && elements.get(widened).stride() == 1;
    }

    @Override
    public String explain() {
      return "one mode of " + parts + " counts parts, each other stride is " + n + " times as long";
    }
  }
}
