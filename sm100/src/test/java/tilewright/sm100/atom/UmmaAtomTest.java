package tilewright.sm100.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.async.atom.SwizzledRows;
import tilewright.kernel.TraceException;
import tilewright.numerics.ElementType;

/** Instruction descriptors, shapes and accumulators against the PTX ISA's tables. */
class UmmaAtomTest {

  /** Where a CTA's row and column of D lie, from the drawings of the ISA's data paths: lane, column. */
  private static int[] place(UmmaAtom atom, int row, int column) {
    if (atom.rows() == 128) return new int[] {row, column};
    if (atom.ctas() == 1) return new int[] {row / 16 * 32 + row % 16, column};
    int half = atom.n() / 2;
    return column < half ? new int[] {row, column} : new int[] {64 + row, column - half};
  }

  @ParameterizedTest
  @CsvSource({"128, 48, 1", "64, 40, 1", "256, 256, 2", "128, 64, 2"})
  void accumulatorsLieAsTheDataPathsSay(int m, int n, int ctas) {
    var atom = UmmaAtom.of(ElementType.BF16, m, n, ctas);
    for (int row = 0; row < m / ctas; row++) {
      for (int column = 0; column < n; column++) {
        int[] place = place(atom, row, column);
        assertEquals(place[0] * 65536L + place[1], atom.accumulator().apply(row + (long) column * m / ctas));
        assertEquals(place[0] + 128L * place[1], atom.partition().apply(row + (long) column * m / ctas));
      }
    }
  }

  @Test
  void theDescriptorOfALargePairIsThatOfPublishedKernels() {
    assertEquals(0x10400490, UmmaAtom.of(ElementType.BF16, 256, 256, 2).descriptor(true, true));
  }

  /** Bits 4, 7, 10: types; 15, 16: order; 17: N / 8; 24: M / 16 (PTX ISA, Instruction descriptor). */
  @Test
  void everyFieldOfTheDescriptorHasItsPlace() {
    assertEquals(1 << 4 | 2 << 7 | 2 << 10 | 1 << 15 | 6 << 17 | 8 << 24,
        UmmaAtom.of(ElementType.TF32, 128, 48, 1).descriptor(false, true));
    assertEquals(1 << 16 | 5 << 17 | 4 << 24,
        new UmmaAtom(MmaKind.F16, MmaFormat.F16, MmaFormat.F16, ElementType.F16, 64, 40, 1).descriptor(true, false));
    assertEquals(1 << 4 | 5 << 7 | 3 << 10 | 2 << 17 | 8 << 24,
        new UmmaAtom(MmaKind.F8F6F4, MmaFormat.E2M1, MmaFormat.E2M3, ElementType.F32, 128, 16, 1)
            .descriptor(true, true));
    assertEquals(2 << 4 | 1 << 7 | 1 << 10 | 4 << 17 | 16 << 24,
        UmmaAtom.of(ElementType.I8, 256, 32, 2).descriptor(true, true));
  }

  /** Bit 23: UE8M0 scales; the rows count from bit 24 on as elsewhere; four-bit floats have code 1. */
  @Test
  void scaledKindsNameTheirScales() {
    assertEquals(1 << 10 | 1 << 23 | 16 << 17 | 8 << 24,
        new UmmaAtom(MmaKind.MXF8F6F4, MmaFormat.E4M3, MmaFormat.E5M2, ElementType.F32, 128, 128, 1)
            .descriptor(true, true));
    assertEquals(1 << 7 | 1 << 10 | 16 << 17 | 16 << 24,
        new UmmaAtom(MmaKind.NVF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.F32, 256, 128, 2)
            .descriptor(true, true));
    assertEquals(1 << 7 | 1 << 10 | 1 << 23 | 16 << 17 | 16 << 24 | 1 << 31,
        new UmmaAtom(MmaKind.MXF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.F32, 256, 128, 2, true)
            .descriptor(true, true));
  }

  @ParameterizedTest
  @CsvSource({"BF16, 192, 64, 1, has 192 rows", "BF16, 128, 24, 1, has 24 columns",
      "BF16, 128, 272, 1, has 272 columns", "BF16, 256, 72, 2, has 72 columns",
      "I8, 128, 24, 1, has 24 columns", "F64, 128, 64, 1, multiplies f64",
      "BF16, 128, 64, 3, no 3 CTAs"})
  void shapesThatDoNotExistAreRefused(ElementType type, int m, int n, int ctas, String why) {
    var problem = assertThrows(TraceException.class, () -> UmmaAtom.of(type, m, n, ctas));
    assertTrue(problem.getMessage().contains(why), problem.getMessage());
  }

  @Test
  void aKindTakesItsOwnFormatsOnly() {
    for (var pair : List.of(List.of(MmaFormat.F16, MmaFormat.BF16), List.of(MmaFormat.E4M3, MmaFormat.F16))) {
      assertThrows(TraceException.class,
          () -> new UmmaAtom(MmaKind.F16, pair.getFirst(), pair.getLast(), ElementType.F32, 128, 64, 1));
    }
    assertThrows(TraceException.class,
        () -> new UmmaAtom(MmaKind.I8, MmaFormat.S8, MmaFormat.S8, ElementType.F32, 128, 64, 1));
  }

  /** Version 1 in bit 46, the swizzle in 61, 1024 bytes from eight rows to the next eight. */
  @Test
  void swizzledRowsHaveTheDescriptorOfPublishedKernels() {
    var form = UmmaDescriptor.of(ElementType.BF16, SwizzledRows.alongColumns(ElementType.BF16, 128, 64, 4), 128);
    assertEquals(0x40004040L, form.high());
    assertEquals(16, form.matrix().leading());
  }

  @Test
  void bytesMayRunAlongM() {
    var form = UmmaDescriptor.of(ElementType.E4M3, SwizzledRows.alongRows(ElementType.E4M3, 128, 128, 1), 128);
    assertEquals(false, form.kMajor());
  }

  /** Swizzle code 1, 512 bytes from four rows to the next four, 32 rows of 128 bytes to the next 32 of m (CUTLASS). */
  @Test
  void wordsRunAlongMInChunksOf32BytesOnly() {
    var form = UmmaDescriptor.of(ElementType.TF32, SwizzledRows.alongRowsInWideChunks(ElementType.TF32, 128, 32, 2),
        128);
    assertEquals(false, form.kMajor());
    assertEquals(1L << 29 | 1 << 14 | 512 / 16, form.high());
    assertEquals(32 * 128, form.matrix().leading());
    assertThrows(TraceException.class,
        () -> UmmaDescriptor.of(ElementType.TF32, SwizzledRows.alongRows(ElementType.TF32, 128, 32, 1), 128));
    assertThrows(TraceException.class, () -> UmmaDescriptor.of(ElementType.BF16,
        SwizzledRows.alongRowsInWideChunks(ElementType.BF16, 128, 64, 1), 128));
  }
}
