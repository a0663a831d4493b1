package tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

class StructuredSparsityTest {
  private static TensorView matrix(ElementType type, int rows, int columns, double... values) {
    var matrix = new TensorView(type, MemorySegment.ofArray(new long[rows * columns]),
        Layout.of(Layout.of(rows, columns), Layout.of(columns, 1), Layout.of(1, 0)));
    for (int i = 0; i < values.length; i++) matrix.set(i / columns + (long) rows * (i % columns), values[i]);
    return matrix;
  }

  private static double[] row(TensorView matrix, int row, int rows) {
    int columns = (int) (matrix.size() / rows);
    var values = new double[columns];
    for (int k = 0; k < columns; k++) values[k] = matrix.value(row + (long) rows * k);
    return values;
  }

  @Test
  void theTwoLargestOfFourAreKept() {
    var matrix = matrix(ElementType.F32, 2, 6, 1, -3, 2, -0.5, 7, 0, 4, 4, -4, 4, 0, 0);
    new StructuredSparsity(4).prune(matrix);
    assertArrayEquals(new double[] {0, -3, 2, 0, 7, 0}, row(matrix, 0, 2));
    assertArrayEquals(new double[] {4, 4, 0, 0, 0, 0}, row(matrix, 1, 2));
  }

  @Test
  void noNaNIsLost() {
    var matrix = matrix(ElementType.F32, 1, 4, 1, 2, Double.NaN, Double.NEGATIVE_INFINITY);
    new StructuredSparsity(4).prune(matrix);
    assertArrayEquals(new double[] {0, 0, Double.NaN, Double.NEGATIVE_INFINITY}, row(matrix, 0, 1));
  }

  @Test
  void theLargerOfTwoIsKept() {
    var matrix = matrix(ElementType.TF32, 1, 5, 1, -3, 2, 2, 5);
    StructuredSparsity.of(ElementType.TF32).prune(matrix);
    assertArrayEquals(new double[] {0, -3, 2, 0, 5}, row(matrix, 0, 1));
  }

  /** PTX ISA, Sparse matrix storage: the lower two bits have the first position, the upper two the second. */
  @ParameterizedTest
  @CsvSource({"5, 6, 0, 0, 0x4", "5, 0, 6, 0, 0x8", "5, 0, 0, 6, 0xC", "0, 5, 6, 0, 0x9", "0, 5, 0, 6, 0xD",
      "0, 0, 5, 6, 0xE"})
  void positionsAreThoseOfTheManual(double a, double b, double c, double d, String bits) {
    var stored = matrix(ElementType.F16, 1, 2);
    var positions = matrix(ElementType.I4, 1, 1);
    new StructuredSparsity(4).compress(matrix(ElementType.F16, 1, 4, a, b, c, d), stored, positions);
    assertArrayEquals(new double[] {5, 6}, row(stored, 0, 1));
    assertEquals(Integer.decode(bits).longValue(), positions.bits(0));
  }

  @ParameterizedTest
  @CsvSource({"5, 0, 0x4", "0, 5, 0xE"})
  void ofTwoOnePositionIsThatOfBothHalves(double first, double second, String bits) {
    var stored = matrix(ElementType.TF32, 1, 1);
    var positions = matrix(ElementType.I4, 1, 1);
    new StructuredSparsity(2).compress(matrix(ElementType.TF32, 1, 2, first, second), stored, positions);
    assertEquals(5, stored.value(0));
    assertEquals(Integer.decode(bits).longValue(), positions.bits(0));
  }

  /** Positions are two different ones in order, also of chunks with fewer numbers and beyond the matrix. */
  @ParameterizedTest
  @EnumSource(names = {"F16", "E4M3", "TF32", "I8"})
  void whatIsCompressedIsTheMatrix(ElementType type) {
    int rows = 5;
    int columns = 27;
    var sparsity = StructuredSparsity.of(type);
    var matrix = matrix(type, rows, columns);
    Inputs.normal(matrix, 7);
    sparsity.prune(matrix);
    for (int i = 0; i < matrix.size(); i += 3) matrix.set(i, 0);
    var stored = matrix(type, rows + 1, 16);
    var positions = matrix(ElementType.I4, rows + 3, 32 / sparsity.chunk());
    sparsity.compress(matrix, stored, positions);
    for (int row = 0; row < rows + 3; row++) {
      var expanded = new double[32];
      for (int i = 0; i < 16; i++) {
        int chunk = 2 * i / sparsity.chunk();
        long bits = positions.bits(row + (rows + 3L) * chunk);
        long at = sparsity.chunk() == 2 ? bits >> 1 & 1 : i % 2 == 0 ? bits & 3 : bits >> 2;
        if (sparsity.chunk() == 4 && i % 2 == 0) assertEquals(-1, Long.compare(bits & 3, bits >> 2));
        expanded[(int) (chunk * sparsity.chunk() + at)] = row > rows ? 0 : stored.value(row + (rows + 1L) * i);
      }
      var expected = new double[32];
      for (int k = 0; k < columns && row < rows; k++) expected[k] = matrix.value(row + (long) rows * k);
      assertArrayEquals(expected, expanded, "row " + row);
    }
  }

  @Test
  void aMatrixWithMoreNumbersIsRefusedWithTheirPlace() {
    var matrix = matrix(ElementType.F16, 2, 8, 1, 2, 0, 0, 0, 0, 3, 4, 1, 0, 0, 2, 0, 1, 2, 3);
    assertEquals("row 1, columns 4 to 7 have 3 elements that are not zero: at most 2 of 4 may be, so prune the matrix"
        + " first", assertThrows(IllegalArgumentException.class, () -> new StructuredSparsity(4).compress(matrix,
        matrix(ElementType.F16, 2, 4), matrix(ElementType.I4, 2, 2))).getMessage());
  }
}
