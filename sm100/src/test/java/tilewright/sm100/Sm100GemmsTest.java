package tilewright.sm100;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

class Sm100GemmsTest {
  private static GemmProblem problem(int m, int n, int k) {
    return GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, "TN");
  }

  @Test
  void aClusterATileIsLaunchedWhereTilesAreCancelled() {
    assertEquals(2 * 3 * 5, Sm100Gemms.prepare(problem(600, 1240, 64)).grid().x());
  }

  @Test
  void persistentPairsAreNoMoreThanThereAreSms() {
    assertEquals(148, Sm100Gemms.prepare(problem(8192, 8192, 64), "persistent").grid().x());
  }

  /** All columns that the kernel takes are in the allocation, the next power of two. */
  @ParameterizedTest
  @CsvSource({"MXF8F6F4, E4M3, 512", "NVF4, E2M1, 512", "F8F6F4, E4M3, 512"})
  void columnsFollowEachOtherInTheAllocation(MmaKind kind, MmaFormat format, int allocated) {
    var types = new UmmaTypes(kind, format, format, ElementType.BF16);
    int next = 0;
    for (var columns : NarrowGemm.configure(types, 256, 256).tensorMemory()) {
      assertEquals(next, columns.first());
      next += columns.count();
    }
    assertTrue(next <= allocated);
    var ptx = NarrowGemm.prepare(types, 256, 256, 256, 1).kernel().ptx();
    assertTrue(ptx.lines().anyMatch(line -> line.contains("tcgen05.alloc.") && line.endsWith(", " + allocated + ";")));
  }

  @Test
  void unalignedRowsTakeTheOlderWay() {
    assertEquals("sm_80", Sm100Gemms.prepare(problem(64, 64, 65)).kernel().module().target());
  }

  @Test
  void unalignedRowsOfBytesAreRefusedWithTheRule() {
    var bytes = GemmProblem.packed(GemmTypes.of(ElementType.E4M3, ElementType.BF16), 64, 64, 65, 1, "TN");
    for (var attempt : List.<Executable>of(() -> Sm100Gemms.prepare(bytes),
        () -> Sm100Gemms.prepare(problem(64, 64, 65), "pair"))) {
      var refusal = assertThrows(IllegalArgumentException.class, attempt);
      assertTrue(refusal.getMessage().contains("A has rows, or columns, 65 elements apart: pad them to "),
          refusal.getMessage());
    }
  }

  /** PTX ISA, Instruction descriptor: the bits that transpose must be zero for kind::mxf4 and kind::mxf4nvf4. */
  @Test
  void twoElementsInAByteLieAlongKOnly() {
    var types = new UmmaTypes(MmaKind.NVF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.F32);
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> new Sm100GemmConfig(types, true, false, 128, 1, 1, 4, 1, false, 8));
    assertTrue(refusal.getMessage().contains("B of nvf4 must have its neighbours along k"), refusal.getMessage());
  }

  @Test
  void unpackedElementsAlongNNeedTilesThatOneCopyFills() {
    var types = new UmmaTypes(MmaKind.F8F6F4, MmaFormat.E4M3, MmaFormat.E2M3, ElementType.F32);
    var refusal = assertThrows(IllegalArgumentException.class,
        () -> new Sm100GemmConfig(types, true, false, 128, 2, 2, 4, 1, false, 8));
    assertTrue(refusal.getMessage().contains("a CTA copies 64"), refusal.getMessage());
  }

  @Test
  void anUnknownRungIsRefusedWithThoseThereAre() {
    var refusal = assertThrows(IllegalArgumentException.class, () -> Sm100Gemms.prepare(problem(64, 64, 64), "top"));
    assertTrue(refusal.getMessage().startsWith("invalid rung top: sequential or pipelined or"), refusal.getMessage());
  }
}
