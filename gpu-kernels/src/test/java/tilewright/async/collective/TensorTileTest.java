package tilewright.async.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.async.atom.SwizzledRows;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorMapSpec;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.Tiler;
import tilewright.numerics.ElementType;
import tilewright.ptx.tensormap.SwizzleMode;

class TensorTileTest {
  private static final TensorSpec SPEC = TensorSpec.of("A", ElementType.BF16, "M", "K", "L").contiguous("K").aligned(8);

  /** Declares a tile and nothing else. */
  private record Tile(TensorSpec spec, OffsetMap layout, int blocks) implements Kernel {
    @Override
    public String name() {
      return "tile";
    }

    @Override
    public void trace(Scope k) {
      k.block(32);
      TensorTile.shared(k, spec, layout, blocks);
    }
  }

  private static TensorMapSpec map(TensorSpec spec, OffsetMap layout) {
    return map(spec, layout, 1);
  }

  private static TensorMapSpec map(TensorSpec spec, OffsetMap layout, int blocks) {
    return CompiledKernel.compile(new Tile(spec, layout, blocks), Target.SM90A).parameters().stream()
        .flatMap(p -> p instanceof KernelParameter.Map(var map) ? java.util.stream.Stream.of(map)
            : java.util.stream.Stream.empty()).findFirst().orElseThrow();
  }

  @Test
  void aBoxIsASwizzledRowWideAndTheWholeTileHigh() {
    var map = map(SPEC, SwizzledRows.alongColumns(ElementType.BF16, 128, 128, 3));
    assertEquals(List.of(128, 64, 1), map.box());
    assertEquals(SwizzleMode.B128, map.swizzle());
    assertEquals(128 * 64 * 2, map.bytes());
  }

  @Test
  void blocksThatLoadTogetherHaveRowsEach() {
    assertEquals(List.of(32, 64, 1), map(SPEC, SwizzledRows.alongColumns(ElementType.BF16, 128, 64, 3), 4).box());
    var across = TensorSpec.of("A", ElementType.BF16, "M", "K").contiguous("M").aligned(8);
    assertEquals(List.of(64, 64), map(across, SwizzledRows.alongRows(ElementType.BF16, 128, 64, 3), 2).box());
  }

  @Test
  void whereThatCutsSwizzledRowsTheyHaveColumnsEach() {
    var across = TensorSpec.of("A", ElementType.BF16, "M", "K").contiguous("M").aligned(8);
    assertEquals(List.of(64, 16), map(across, SwizzledRows.alongRows(ElementType.BF16, 192, 64, 3), 4).box());
  }

  /** A copy swizzles the bits of addresses, wherever in a pattern of eight rows a box begins. */
  @Test
  void blocksMayHaveRowsThatBeginInsideAPattern() {
    assertEquals(List.of(18, 64, 1), map(SPEC, SwizzledRows.alongColumns(ElementType.BF16, 72, 64, 3), 4).box());
  }

  @Test
  void rowsThatBlocksCannotDivideAreRefused() {
    var layout = SwizzledRows.alongColumns(ElementType.BF16, 74, 64, 3);
    var refused = assertThrows(TraceException.class, () -> map(SPEC, layout, 4));
    assertTrue(refused.getMessage().startsWith("4 blocks cannot copy 74 rows of "), refused.getMessage());
  }

  @Test
  void neighboursAlongTheRowsTurnTheBoxAround() {
    var map = map(TensorSpec.of("A", ElementType.BF16, "M", "K").contiguous("M").aligned(8),
        SwizzledRows.alongRows(ElementType.BF16, 128, 64, 3));
    assertEquals(List.of(64, 64), map.box());
  }

  /** Even rows in the first half of a stage, odd ones in the second: boxes of 64 rows, two coordinates apart. */
  @Test
  void rowsThatAreApartAreCopiedInSteps() {
    var rows = Tiler.of(Layout.parse("(2,64):(64,1)"));
    var layout = SwizzledRows.alongColumns(ElementType.BF16, 128, 128, 3)
        .composition(Tiler.byMode(rows, new Tiler.Keep(), new Tiler.Keep()));
    var map = map(SPEC, layout);
    assertEquals(List.of(64, 64, 1), map.box());
    assertEquals(List.of(2, 1, 1), map.steps());
    assertEquals(List.of(128, 64, 1), map.spans());
    assertEquals(64 * 64 * 2, map.bytes());
  }

  @Test
  void rowsThatAreTooFarApartAreRefused() {
    var refusal = assertThrows(TraceException.class,
        () -> new TensorMapSpec(SPEC, List.of(8, 64, 1), List.of(9, 1, 1), SwizzleMode.B128));
    assertTrue(refusal.getMessage().contains("in steps of [9, 1, 1]: they are 1 to 8"), refusal.getMessage());
    refusal = assertThrows(TraceException.class,
        () -> new TensorMapSpec(SPEC, List.of(129, 64, 1), List.of(2, 1, 1), SwizzleMode.B128));
    assertTrue(refusal.getMessage().contains("[129, 64, 1] in steps of [2, 1, 1]: extents are 1 to 256"),
        refusal.getMessage());
  }

  @Test
  void aLayoutThatNoBoxesFillIsRefusedWithTheElement() {
    var problem = assertThrows(TraceException.class, () -> map(SPEC, Layout.parse("(8,64,1):(72,1,0)")));
    assertTrue(problem.getMessage().contains("boxes begin at multiples of 128 bytes"), problem.getMessage());
    assertTrue(problem.getMessage().contains("element (1,0) lies at 72"), problem.getMessage());
  }

  @Test
  void aTensorWithoutContiguousModeIsRefused() {
    var spec = TensorSpec.of("A", ElementType.BF16, "M", "K");
    var problem = assertThrows(TraceException.class,
        () -> map(spec, SwizzledRows.alongColumns(ElementType.BF16, 8, 64, 1)));
    assertTrue(problem.getMessage().contains("needs rows or columns contiguous"), problem.getMessage());
  }
}
