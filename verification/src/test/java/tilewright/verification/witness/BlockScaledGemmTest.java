package tilewright.verification.witness;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.TensorElement;

/** Products of eight-bit and four-bit floats in blocks, whose scales tcgen05.cp brings to Tensor Memory. */
class BlockScaledGemmTest {
  private static final int TILE = 128;
  private static final int M = 2 * TILE - 57;
  private static final int N = 2 * TILE - 44;
  /** Of a row. */
  private static final int BYTES = 3 * TILE + 48;
  private static final int STEPS = Math.ceilDiv(BYTES, TILE);

  /** Rows of packed elements with the scales of their blocks, as the kernel reads them, and what they mean. */
  private record Factor(byte[] packed, byte[] scales, double[][] values) {
    static Factor random(ScaledFormat format, int rows, boolean left, Random random) {
      int perByte = 8 / format.bits();
      int scalesOfStep = TILE * perByte / format.block();
      int tiles = scalesOfStep / 4;
      var factor = new Factor(new byte[rows * BYTES], new byte[Math.ceilDiv(rows, TILE) * STEPS * tiles * 512],
          new double[rows][BYTES * perByte]);
      for (int row = 0; row < rows; row++) {
        for (int step = 0; step < STEPS; step++) {
          var scales = new double[scalesOfStep];
          for (int s = 0; s < scalesOfStep; s++) {
            int bits = format.randomScale(random);
            scales[s] = format.scale(bits);
            int tile = (row / TILE * STEPS + step) * tiles + s / 4;
            factor.scales[512 * tile + row % 32 * 16 + row % TILE / 32 * 4 + s % 4] = (byte) bits;
          }
          for (int k = 0; k < TILE * perByte && step * TILE * perByte + k < BYTES * perByte; k++) {
            int bits = format.randomElement(random, left);
            int at = step * TILE * perByte + k;
            factor.packed[row * BYTES + at / perByte] |= (byte) (bits << at % perByte * format.bits());
            factor.values[row][at] = format.element(bits, left) * scales[k / format.block()];
          }
        }
      }
      return factor;
    }
  }

  static Witness gemm(ScaledFormat format) {
    var random = new Random(format.ordinal());
    var a = Factor.random(format, M, true, random);
    var b = Factor.random(format, N, false, random);
    int stage = 2 * TILE * TILE + 2 * 512 * (TILE * 8 / format.bits() / format.block() / 4);
    var launch = new Launch(Witness.ptx("block_scaled_gemm"), format.entry(), new Dim3(2, 2, 1), Dim3.of(192), Dim3.ONE,
        2 * stage + 4 * TILE * TILE + 64,
        Map.of("a", MemorySegment.ofArray(a.packed), "b", MemorySegment.ofArray(b.packed),
            "scalesA", MemorySegment.ofArray(a.scales), "scalesB", MemorySegment.ofArray(b.scales),
            "c", MemorySegment.ofArray(new float[M * N])),
        List.of(Maps.swizzled("a", TensorElement.U8, BYTES, M, TILE, TILE),
            Maps.swizzled("b", TensorElement.U8, BYTES, N, TILE, TILE), new Argument.Buffer("scalesA"),
            new Argument.Buffer("scalesB"), Maps.matrix("c", TensorElement.F32, N, M, TILE, TILE),
            Argument.u32(STEPS)));
    return new Witness(launch, Map.of("c", MemorySegment.ofArray(product(a, b))));
  }

  /** All sums are exact in FP64, and what becomes of them in FP32 too. */
  private static float[] product(Factor a, Factor b) {
    var c = new float[M * N];
    for (int i = 0; i < c.length; i++) {
      double sum = 0;
      var left = a.values[i / N];
      var right = b.values[i % N];
      for (int k = 0; k < left.length; k++) sum += left[k] * right[k];
      if (sum != (float) sum) throw new AssertionError(sum + " is no single: choose smaller numbers");
      c[i] = (float) sum;
    }
    return c;
  }

  @ParameterizedTest
  @EnumSource
  void everyBlockHasItsScale(ScaledFormat format) {
    gemm(format).underSeeds(20);
  }

  @Test
  @Tag("gpu")
  void theSameOnAGpu() {
    for (var format : ScaledFormat.values()) gemm(format).onGpu(100);
  }
}
