package tilewright.kernels.gemm;

import java.util.Optional;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.tiled.TiledMma;
import tilewright.kernels.GemmProblem;
import tilewright.numerics.ElementType;

/**
 * What is fixed when an SM80 GEMM is traced.
 *
 * @param operand type of A and B: f16 or bf16
 * @param output type of C: f32, f16 or bf16
 * @param aKMajor whether A's neighbours run along k (else along m); likewise B
 * @param stages tiles of shared memory in the ring
 * @param vectorA elements of A that one copy moves: 8, 4 or 2 aligned neighbours, or 1 for any strides; likewise B
 * @param vectorC neighbours along n that one store writes: 8 of 16 bits, 4, 2, or 1 for any strides
 * @param band tile rows that CTAs work through together, for L2
 * @param fit of a kernel that is made for certain strides and for extents of whole tiles
 */
public record GemmConfig(ElementType operand, ElementType output, boolean aKMajor, boolean bKMajor, int tileM,
    int tileN, int tileK, int warpsM, int warpsN, int stages, int vectorA, int vectorB, int vectorC, int band,
    Optional<Fit> fit) {
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

  /** For any strides and extents that the vectors allow. */
  public GemmConfig(ElementType operand, ElementType output, boolean aKMajor, boolean bKMajor, int tileM, int tileN,
      int tileK, int warpsM, int warpsN, int stages, int vectorA, int vectorB, int vectorC, int band) {
    this(operand, output, aKMajor, bKMajor, tileM, tileN, tileK, warpsM, warpsN, stages, vectorA, vectorB, vectorC,
        band, Optional.empty());
  }

  /** Made for a problem's strides, if its extents are whole tiles and nothing is too far apart. */
  GemmConfig fitting(GemmProblem p) {
    long a = aKMajor ? p.a().rowStride() : p.a().columnStride();
    long b = bKMajor ? p.b().rowStride() : p.b().columnStride();
    long c = p.c().rowStride();
    boolean whole = p.m() % tileM == 0 && p.n() % tileN == 0 && Math.min(vectorA, Math.min(vectorB, vectorC)) > 1;
    boolean near = Math.max(a, Math.max(b, c)) <= MOST_STRIDE && Math.min(a, Math.min(b, c)) > 0;
    return new GemmConfig(operand, output, aKMajor, bKMajor, tileM, tileN, tileK, warpsM, warpsN, stages, vectorA,
        vectorB, vectorC, band,
        whole && near ? Optional.of(new Fit(a, b, c, p.k() > 0 && p.k() % tileK == 0)) : Optional.empty());
  }

  /** Whether a thread's accumulators are runs of {@code vectorC}, which B's order in shared memory brings about. */
  boolean inRuns() {
    return bKMajor && vectorC > 2;
  }

  /** With at most so many neighbours of C stored at once. */
  GemmConfig storing(int most) {
    return new GemmConfig(operand, output, aKMajor, bKMajor, tileM, tileN, tileK, warpsM, warpsN, stages, vectorA,
        vectorB, Math.min(vectorC, most), band, fit);
  }

  TiledMma.Shape shape() {
    return new TiledMma.Shape(tileM, tileN, tileK, warpsM, warpsN, aKMajor, bKMajor);
  }

  int threads() {
    return shape().threads();
  }

  /** Operand orders as BLAS names them: T means neighbours along k for A, N means that for B. */
  public String order() {
    return (aKMajor ? "T" : "N") + (bKMajor ? "N" : "T");
  }

  TensorSpec a() {
    var spec = operand("A", "M", aKMajor, vectorA);
    return fit.map(f -> fitting(spec.stride(aKMajor ? "M" : "K", f.a).multipleOf("M", tileM), f)).orElse(spec);
  }

  TensorSpec b() {
    var spec = operand("B", "N", bKMajor, vectorB);
    return fit.map(f -> fitting(spec.stride(bKMajor ? "N" : "K", f.b).multipleOf("N", tileN), f)).orElse(spec);
  }

  private TensorSpec fitting(TensorSpec spec, Fit fit) {
    return fit.wholeK ? spec.multipleOf("K", tileK) : spec;
  }

  private TensorSpec operand(String name, String rows, boolean kMajor, int vector) {
    var spec = TensorSpec.of(name, operand, rows, "K", "L");
    return vector == 1 ? spec : spec.contiguous(kMajor ? "K" : rows).aligned(vector);
  }

  TensorSpec c() {
    var spec = TensorSpec.of("C", output, "M", "N", "L");
    if (vectorC == 1) return spec;
    var vectors = spec.contiguous("N").aligned(vectorC).multipleOf("N", vectorC);
    return fit.map(f -> vectors.stride("M", f.c)).orElse(vectors);
  }

  @Override
  public String toString() {
    return order() + " " + operand.text() + "->" + output.text() + " " + tileM + "x" + tileN + "x" + tileK + " warps "
        + warpsM + "x" + warpsN + " stages " + stages + " vec " + vectorA + "," + vectorB + "," + vectorC
        + (fit.isPresent() ? " fit" : "");
  }
}
