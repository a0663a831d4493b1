package tilewright.async.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.tensormap.SwizzleMode;

/** Descriptors against the PTX ISA's canonical layouts (Asynchronous Warpgroup Level Matrix Shared Memory Layout). */
class MatrixDescriptorTest {

  private static MatrixDescriptor of(OffsetMap tile, int rows) {
    return MatrixDescriptor.of(ElementType.BF16, tile, rows);
  }

  @Test
  void swizzledRowsAlongKStepByEightRows() {
    assertEquals(new MatrixDescriptor(SwizzleMode.B128, true, 16, 1024),
        of(SwizzledRows.alongColumns(ElementType.BF16, 128, 64, 4), 64));
    assertEquals(new MatrixDescriptor(SwizzleMode.B64, true, 16, 512),
        of(SwizzledRows.alongColumns(ElementType.BF16, 64, 32, 1), 64));
    assertEquals(new MatrixDescriptor(SwizzleMode.B32, true, 16, 256),
        of(SwizzledRows.alongColumns(ElementType.BF16, 64, 16, 1), 64));
  }

  @Test
  void rowsOfOtherTypesHaveTheSameBytes() {
    assertEquals(new MatrixDescriptor(SwizzleMode.B128, true, 16, 1024),
        MatrixDescriptor.of(ElementType.E4M3, SwizzledRows.alongColumns(ElementType.E4M3, 64, 128, 2), 64));
    assertEquals(new MatrixDescriptor(SwizzleMode.B128, true, 16, 1024),
        MatrixDescriptor.of(ElementType.TF32, SwizzledRows.alongColumns(ElementType.TF32, 64, 32, 2), 64));
  }

  @Test
  void rowsAlongNStepByBlocksOf64AndByEightK() {
    // (64,4) columns of 64 neighbours: the next 64 lie behind all 64 rows of k.
    assertEquals(new MatrixDescriptor(SwizzleMode.B128, false, 64 * 64 * 2, 1024),
        of(SwizzledRows.alongRows(ElementType.BF16, 256, 64, 4), 256));
  }

  @Test
  void plainCoreMatricesHaveBothStrides() {
    // Core matrices of 8 rows × 16 bytes, first along the rows, then along k.
    var tile = Layout.parse("((8,8),(8,2),1):((8,64),(1,512),0)");
    assertEquals(new MatrixDescriptor(SwizzleMode.NONE, true, 1024, 128), of(tile, 64));
  }

  @Test
  void aLayoutWithoutDescriptorIsRefusedWithOneThatHas() {
    var problem = assertThrows(TraceException.class, () -> of(Layout.parse("(64,64,1):(64,1,0)"), 64));
    assertTrue(problem.getMessage().contains("(64,64,1):(64,1,0)"), problem.getMessage());
    assertTrue(problem.getMessage().endsWith(SwizzledRows.alongColumns(ElementType.BF16, 64, 64, 1).toString()),
        problem.getMessage());
  }

  @Test
  void onlySixteenBitsMayRunAlongN() {
    assertThrows(TraceException.class, () -> MatrixDescriptor.of(ElementType.TF32,
        SwizzledRows.alongRows(ElementType.TF32, 64, 32, 1), 64));
    assertThrows(TraceException.class, () -> MatrixDescriptor.of(ElementType.TF32,
        SwizzledRows.alongRowsInWideChunks(ElementType.TF32, 64, 32, 1), 64));
  }
}
