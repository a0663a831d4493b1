package tilewright.sm90;

import tilewright.kernel.TensorSpec;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.SwizzledRows;

/**
 * What is fixed when a Hopper GEMM is traced.
 *
 * @param operand type of A and B: f16 or bf16
 * @param output type of C: f32, f16 or bf16
 * @param aKMajor whether A's neighbours run along k (else along m); likewise B
 * @param consumers warpgroups that multiply, each with tileM / consumers rows
 * @param stages tiles of shared memory in the ring
 * @param cluster CTAs, one above the other, that load B's tiles for each other
 * @param band tile rows that CTAs work through together, for L2
 */
public record Sm90GemmConfig(ElementType operand, ElementType output, boolean aKMajor, boolean bKMajor, int tileM,
    int tileN, int tileK, int consumers, int stages, int cluster, int band) {
  private static final int ALIGNED_BYTES = 16;

  int threads() {
    return 128 * (consumers + 1);
  }

  TensorSpec a() {
    return operand("A", "M", aKMajor);
  }

  TensorSpec b() {
    return operand("B", "N", bKMajor);
  }

  private TensorSpec operand(String name, String rows, boolean kMajor) {
    return TensorSpec.of(name, operand, rows, "K", "L").contiguous(kMajor ? "K" : rows)
        .aligned(ALIGNED_BYTES / operand.bytes());
  }

  TensorSpec c() {
    return TensorSpec.of("C", output, "M", "N", "L").contiguous("N").aligned(ALIGNED_BYTES / output.bytes());
  }

  OffsetMap layoutA() {
    return layout(tileM, aKMajor);
  }

  OffsetMap layoutB() {
    return layout(tileN, bKMajor);
  }

  private OffsetMap layout(int rows, boolean kMajor) {
    return kMajor ? SwizzledRows.alongColumns(operand, rows, tileK, stages)
        : SwizzledRows.alongRows(operand, rows, tileK, stages);
  }

  @Override
  public String toString() {
    return (aKMajor ? "T" : "N") + (bKMajor ? "N" : "T") + " " + operand.text() + "->" + output.text() + " " + tileM
        + "x" + tileN + "x" + tileK + " consumers " + consumers + " stages " + stages + " cluster "
        + cluster + " band " + band;
  }
}
