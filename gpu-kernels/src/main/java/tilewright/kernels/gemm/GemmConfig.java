package tilewright.kernels.gemm;

import java.util.Optional;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.tiled.OperandOrder;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;

/**
 * The configuration of an SM80 GEMM: everything that is fixed when the kernel is traced.
 *
 * @param fit the strides that the kernel is made for, if it is, and for extents of whole tiles
 */
public record GemmConfig(Operands operands, Tile tile, Vectors vectors, Optional<Fit> fit) {

  /**
   * The operands' types and orders.
   *
   * @param a type of A: f16, bf16, e4m3 or e5m2; {@code b} that of B, the same or the other of 8 bits
   * @param output type of C: f32, f16 or bf16
   * @param accumulator type of the sums: f32, or f16 where the operands are
   * @param aKMajor whether A's neighbours run along k (else along m); {@code bKMajor} whether B's do (else along n)
   */
  public record Operands(ElementType a, ElementType b, ElementType output, ElementType accumulator, boolean aKMajor,
      boolean bKMajor) {
    /** Operands of one type whose products are summed in FP32. */
    public Operands(ElementType type, ElementType output, boolean aKMajor, boolean bKMajor) {
      this(type, type, output, ElementType.F32, aKMajor, bKMajor);
    }

    /** Returns these operands with products that are summed in another type. */
    public Operands summedIn(ElementType other) {
      return new Operands(a, b, output, other, aKMajor, bKMajor);
    }

    /** Whether the operands have 8 bits, which only neighbours along k can have in shared memory. */
    boolean ofBytes() {
      return a.bits() == Byte.SIZE;
    }

    /** Whether A's neighbours run along k in shared memory. */
    boolean sharedAAlongK() {
      return aKMajor || ofBytes();
    }

    /** Whether B's neighbours run along k in shared memory. */
    boolean sharedBAlongK() {
      return bKMajor || ofBytes();
    }

    /** The name of both types, such as {@code bf16} or {@code e5m2_e4m3}. */
    String name() {
      return a == b ? a.text() : a.text() + "_" + b.text();
    }
  }

  /**
   * A CTA's tile.
   *
   * @param stages tiles of A and of B in shared memory
   * @param band tile rows that CTAs work through together, for L2
   * @param order of operands in shared memory
   */
  public record Tile(int m, int n, int k, int warpsM, int warpsN, int stages, int band, OperandOrder order) {
    /** A tile of swizzled operands. */
    public Tile(int m, int n, int k, int warpsM, int warpsN, int stages, int band) {
      this(m, n, k, warpsM, warpsN, stages, band, OperandOrder.SWIZZLED);
    }
  }

  /**
   * The widths of accesses to global memory, in elements.
   *
   * @param a elements of A that one copy moves: 8, 4 or 2 aligned neighbours, or 1 for any strides; {@code b} of B
   * @param c neighbours along n that one store writes: 8 of 16 bits, 4, 2, or 1 for any strides
   */
  public record Vectors(int a, int b, int c) {
    int least() {
      return Math.min(a, Math.min(b, c));
    }
  }

  /** Between two rows 32 apart, elements: beyond, an instruction's offset does not reach all that a thread copies. */
  private static final long MOST_STRIDE = 1 << 14;

  /**
   * Strides in elements, so that the loop has no pointer and no check for each copy, nor the epilogue for each store.
   *
   * @param a from a row of A to the next, or a column where the rows are contiguous; likewise b; c from row to row
   * @param wholeK whether k is made of whole tiles too
   */
  public record Fit(long a, long b, long c, boolean wholeK) {
    public Fit {
      if (Math.max(a, Math.max(b, c)) > MOST_STRIDE || Math.min(a, Math.min(b, c)) < 1) {
        throw new IllegalArgumentException("no kernel is made for strides of " + a + ", " + b + " and " + c
            + " elements: 1 to " + MOST_STRIDE);
      }
    }
  }

  /** A configuration for any strides and extents that the vectors allow. */
  public GemmConfig(Operands operands, Tile tile, Vectors vectors) {
    this(operands, tile, vectors, Optional.empty());
  }

  /** The configuration made for a problem's strides, if its extents are whole tiles and nothing is too far apart. */
  GemmConfig fitting(GemmProblem p) {
    long a = operands.aKMajor ? p.a().rowStride() : p.a().columnStride();
    long b = operands.bKMajor ? p.b().rowStride() : p.b().columnStride();
    long c = p.c().rowStride();
    boolean whole = p.m() % tile.m == 0 && p.n() % tile.n == 0 && vectors.least() > 1;
    boolean near = Math.max(a, Math.max(b, c)) <= MOST_STRIDE && Math.min(a, Math.min(b, c)) > 0;
    return new GemmConfig(operands, tile, vectors,
        whole && near ? Optional.of(new Fit(a, b, c, p.k() > 0 && p.k() % tile.k == 0)) : Optional.empty());
  }

  /** This configuration for any strides and extents that the vectors allow. */
  GemmConfig forAnyStrides() {
    return new GemmConfig(operands, tile, vectors);
  }

  /** Whether a thread's accumulators are runs of {@code vectors.c()}, which B's order in shared memory brings about. */
  boolean inRuns() {
    return operands.sharedBAlongK() && vectors.c > 2;
  }

  /** The configuration with at most {@code most} neighbours of C in one store. */
  public GemmConfig storing(int most) {
    return new GemmConfig(operands, tile, new Vectors(vectors.a, vectors.b, Math.min(vectors.c, most)), fit);
  }

  TiledMma.Shape shape() {
    return new TiledMma.Shape(tile.m, tile.n, tile.k, tile.warpsM, tile.warpsN, operands.sharedAAlongK(),
        operands.sharedBAlongK());
  }

  /** Bytes of shared memory that a CTA needs. */
  int sharedBytes() {
    int columns = tile.m * operands.a.bytes() + tile.n * operands.b.bytes();
    return columns * tile.k * tile.stages;
  }

  int threads() {
    return shape().threads();
  }

  /** Operand orders as BLAS names them: T means neighbours along k for A, N means that for B. */
  public String order() {
    return (operands.aKMajor ? "T" : "N") + (operands.bKMajor ? "N" : "T");
  }

  TensorSpec a() {
    var spec = operand("A", operands.a, "M", operands.aKMajor, vectors.a);
    var rows = operands.aKMajor ? "M" : "K";
    return fit.map(f -> fitting(spec.stride(rows, f.a).multipleOf("M", tile.m), f)).orElse(spec);
  }

  TensorSpec b() {
    var spec = operand("B", operands.b, "N", operands.bKMajor, vectors.b);
    var rows = operands.bKMajor ? "N" : "K";
    return fit.map(f -> fitting(spec.stride(rows, f.b).multipleOf("N", tile.n), f)).orElse(spec);
  }

  private TensorSpec fitting(TensorSpec spec, Fit fit) {
    return fit.wholeK ? spec.multipleOf("K", tile.k) : spec;
  }

  private TensorSpec operand(String name, ElementType type, String rows, boolean kMajor, int vector) {
    var spec = TensorSpec.of(name, type, rows, "K", "L");
    return vector == 1 ? spec : spec.contiguous(kMajor ? "K" : rows).aligned(vector);
  }

  TensorSpec c() {
    var spec = TensorSpec.of("C", operands.output, "M", "N", "L");
    if (vectors.c == 1) return spec;
    var aligned = spec.contiguous("N").aligned(vectors.c).multipleOf("N", vectors.c);
    return fit.map(f -> aligned.stride("M", f.c)).orElse(aligned);
  }

  @Override
  public String toString() {
    return "%s %s->%s %dx%dx%d warps %dx%d stages %d vec %d,%d,%d%s".formatted(order(), operands.name(),
        operands.output.text(), tile.m, tile.n, tile.k, tile.warpsM, tile.warpsN, tile.stages, vectors.a, vectors.b,
        vectors.c, fit.isPresent() ? " fit" : "");
  }
}
