package tilewright.sm100.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;

/** The lifetime of Tensor Memory, which tracing checks. */
class TensorMemoryTest {

  private record Holder(int columns, BiConsumer<Scope, TensorMemory> use) implements Kernel {
    @Override
    public String name() {
      return "holder";
    }

    @Override
    public void trace(Scope k) {
      var warp = k.block(128).lessThan(32);
      use.accept(k, TensorMemory.allocate(k, 1, columns, warp, k::barrier));
    }
  }

  private static CompiledKernel compile(int columns, BiConsumer<Scope, TensorMemory> use) {
    return CompiledKernel.compile(new Holder(columns, use), Target.SM100A);
  }

  private static void assertRefused(String why, BiConsumer<Scope, TensorMemory> use) {
    var problem = assertThrows(TraceException.class, () -> compile(64, use));
    assertTrue(problem.getMessage().contains(why), problem.getMessage());
  }

  @Test
  void whatIsAllocatedIsFreedByTheSameWarp() {
    var text = compile(64, (k, memory) -> memory.release(k::barrier)).ptx();
    assertEquals(1, text.split("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", -1).length - 1, text);
    assertEquals(1, text.split("tcgen05.dealloc.cta_group::1.sync.aligned.b32", -1).length - 1, text);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 48, 1024})
  void columnsAreAPowerOfTwoFrom32To512(int columns) {
    var problem = assertThrows(TraceException.class, () -> compile(columns, (k, memory) -> memory.release(k::barrier)));
    assertTrue(problem.getMessage().contains("allocation of " + columns + " columns"), problem.getMessage());
  }

  @Test
  void aUseAfterTheReleaseIsRefused() {
    assertRefused("uses Tensor Memory after its release", (k, memory) -> {
      var tile = memory.take(32);
      memory.release(k::barrier);
      tile.address(k);
    });
  }

  @Test
  void aSecondReleaseIsRefused() {
    assertRefused("releases Tensor Memory after its release", (k, memory) -> {
      memory.release(k::barrier);
      memory.release(k::barrier);
    });
  }

  @Test
  void aForgottenReleaseIsRefused() {
    assertRefused("ends with 64 columns of Tensor Memory allocated", (k, memory) -> {});
  }

  @Test
  void noMoreColumnsAreTakenThanAreAllocated() {
    assertRefused("columns 48 to 79 of Tensor Memory are not among the 64", (k, memory) -> {
      memory.take(48);
      memory.take(32);
    });
  }

  @Test
  void aTileHasOnlyItsOwnColumns() {
    assertRefused("columns 16 to 47 are not among the tile's 32", (k, memory) -> memory.take(32).part(16, 32));
  }
}
