package tilewright.kernels;

import tilewright.kernel.TensorSpec;
import tilewright.kernel.tiled.TiledMma;
import tilewright.numerics.ElementType;

/**
 * What is fixed when an SM80 GEMM is traced.
 *
 * @param operand type of A and B: f16 or bf16
 * @param output type of C: f32, f16 or bf16
 * @param aKMajor whether A's neighbours run along k (else along m); likewise B
 * @param stages tiles of shared memory in the ring
 * @param vectorA elements of A that one copy moves: 8, 4 or 2 aligned neighbours, or 1 for any strides; likewise B
 * @param vectorC neighbours along n that one store writes: 2, or 1 for any strides
 * @param band tile rows that CTAs work through together, for L2
 */
public record GemmConfig(ElementType operand, ElementType output, boolean aKMajor, boolean bKMajor, int tileM,
    int tileN, int tileK, int warpsM, int warpsN, int stages, int vectorA, int vectorB, int vectorC, int band) {

  /** With at most so many neighbours of C stored at once. */
  GemmConfig storing(int most) {
    return new GemmConfig(operand, output, aKMajor, bKMajor, tileM, tileN, tileK, warpsM, warpsN, stages, vectorA,
        vectorB, Math.min(vectorC, most), band);
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
    return operand("A", "M", aKMajor, vectorA);
  }

  TensorSpec b() {
    return operand("B", "N", bKMajor, vectorB);
  }

  private TensorSpec operand(String name, String rows, boolean kMajor, int vector) {
    var spec = TensorSpec.of(name, operand, rows, "K", "L");
    return vector == 1 ? spec : spec.contiguous(kMajor ? "K" : rows).aligned(vector);
  }

  TensorSpec c() {
    var spec = TensorSpec.of("C", output, "M", "N", "L");
    return vectorC == 1 ? spec : spec.contiguous("N").aligned(vectorC).multipleOf("N", vectorC);
  }

  @Override
  public String toString() {
    return order() + " " + operand.text() + "->" + output.text() + " " + tileM + "x" + tileN + "x" + tileK + " warps "
        + warpsM + "x" + warpsN + " stages " + stages + " vec " + vectorA + "," + vectorB + "," + vectorC;
  }
}
