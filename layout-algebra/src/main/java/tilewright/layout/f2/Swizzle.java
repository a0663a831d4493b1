package tilewright.layout.f2;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.syntax.Node;
import tilewright.layout.syntax.NodeReader;
import tilewright.layout.tuple.IntTuple;

/**
 * {@code Sw<B,M,S>}: folds a field of {@code bits} bits onto the field {@code shift} bits below it (above it when
 * negative), both above the lowest {@code base} bits: x ↦ x ⊕ ((x &amp; Y) ≫ S). A bijection, and its own inverse, of
 * every aligned block of 2^(B+M+|S|).
 */
public record Swizzle(int bits, int base, int shift) {
  public static final Swizzle IDENTITY = new Swizzle(0, 0, 0);

  public Swizzle {
    if (bits < 0 || base < 0 || Math.abs(shift) < bits) {
      throw new IllegalArgumentException("invalid Sw<" + bits + "," + base + "," + shift
          + ">: B and M are at least 0 and |S| at least B");
    }
    if ((long) bits + base + Math.abs(shift) > 62) {
      throw new IllegalArgumentException("invalid Sw<" + bits + "," + base + "," + shift
          + ">: its fields end above bit 62");
    }
  }

  /** Reads CuTe's notation, such as {@code Sw<3,4,3>}. */
  public static Swizzle parse(String text) {
    return NodeReader.read(text, Swizzle::read);
  }

  /** Reads a swizzle from the tree of a text. */
  public static Swizzle read(NodeReader reader, Node node) {
    if (!(node instanceof Node.Swizzled sw)) throw reader.expected(node.position(), "a swizzle, as in Sw<3,4,3>");
    try {
      return new Swizzle(Math.toIntExact(sw.bits()), Math.toIntExact(sw.base()), Math.toIntExact(sw.shift()));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw reader.expected(node.position(), "a legal swizzle: " + e.getMessage());
    }
  }

  public long apply(long x) {
    return x ^ (x & readMask()) >> Math.max(0, shift) << Math.max(0, -shift);
  }

  /** Y: the bits that decide, and stay as they are. */
  public long readMask() {
    return (1L << bits) - 1 << base + Math.max(0, shift);
  }

  /** Z: the bits that change. */
  public long writtenMask() {
    return (1L << bits) - 1 << base - Math.min(0, shift);
  }

  /** Itself, since Y and Z are disjoint. */
  public Swizzle inverse() {
    return this;
  }

  /** The matrix on the bits below 2^(B+M+|S|), and above up to {@code size} bits. */
  public F2Matrix matrix(int size) {
    return new F2Matrix(size, F2Matrix.identity(size).columns().stream().map(this::apply).toList());
  }

  /** x ↦ this(inner(x)) as one swizzle. Any two compose as matrices; few of those fold one field by one shift. */
  public Decision<Swizzle> tryComposition(Swizzle inner) {
    int size = Math.max(end(), inner.end());
    var from = new long[size];
    var to = new long[size];
    for (int bit = 0; bit < size; bit++) {
      from[bit] = 1L << bit;
      to[bit] = apply(inner.apply(from[bit]));
    }
    var fit = SwizzleFit.of(from, to);
    if (fit.isEmpty()) {
      var misfit = SwizzleFit.misfit(from, to);
      long offset = from[misfit.place()];
      return new Decision.Undefined<>(this + " ∘ " + inner,
          "together they fold one contiguous field by one shift of at least its width", OptionalInt.empty(),
          "offsets 1, 2, 4, … become " + Arrays.toString(to),
          Optional.of(new Witness(IntTuple.of(offset), offset, misfit.demanded(), misfit.given())));
    }
    var certificate = new TableCertificate(fit.get() + "(2^i) = " + this + "(" + inner + "(2^i))", size,
        i -> fit.get().apply(1L << i), i -> to[(int) i]);
    return new Decision.Defined<>(fit.get(), certificate);
  }

  private int end() {
    return bits + base + Math.abs(shift);
  }

  /**
   * The swizzle of blocks of {@code n} offsets, y ↦ this(n·y) ≫ log2 n; CuTe's {@code upcast<n>}. A field that begins
   * within a block loses its bits there.
   *
   * @param n a power of two
   */
  public Swizzle upcast(long n) {
    int drop = log2(n);
    int lost = Math.max(0, drop - base);
    return new Swizzle(Math.max(0, bits - lost), Math.max(0, base - drop), shift);
  }

  /** The swizzle that moves blocks of {@code n} offsets as this moves offsets; CuTe's {@code downcast<n>}. */
  public Swizzle downcast(long n) {
    return new Swizzle(bits, Math.addExact(base, log2(n)), shift);
  }

  /** Returns this swizzle for offsets counted in elements of {@code newBits} instead of {@code oldBits} bits. */
  public Swizzle recast(long oldBits, long newBits) {
    if (oldBits > 0 && newBits % oldBits == 0) return upcast(newBits / oldBits);
    if (newBits > 0 && oldBits % newBits == 0) return downcast(oldBits / newBits);
    throw new IllegalArgumentException("a swizzle cannot be recast from elements of " + oldBits + " to those of "
        + newBits + " bits: one is a power of two times the other");
  }

  private static int log2(long n) {
    if (n < 1 || Long.bitCount(n) != 1) {
      throw new IllegalArgumentException("a swizzle cannot be cast by " + n + ": it moves blocks of a power of two");
    }
    return Long.numberOfTrailingZeros(n);
  }

  @Override
  public String toString() {
    return "Sw<" + bits + "," + base + "," + shift + ">";
  }
}
