package tilewright.kernel.collective;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;

/** Which groups of threads can reduce together. */
class ThreadGroupTest {
  private record Grouped(int block, int size) implements Kernel {
    @Override
    public String name() {
      return "grouped";
    }

    @Override
    public void trace(Scope k) {
      new ThreadGroup(k, k.block(block), block, size).sum(k.constant(1f));
    }
  }

  @Test
  void aGroupIsAPowerOfTwoThatDividesTheBlock() {
    for (int[] good : new int[][] {{256, 1}, {256, 8}, {256, 32}, {64, 64}, {256, 64}, {768, 256}, {1024, 1024}}) {
      assertDoesNotThrow(() -> CompiledKernel.compile(new Grouped(good[0], good[1]), Target.SM80));
    }
    for (int[] bad : new int[][] {{256, 512}, {256, 3}, {96, 96}, {48, 32}}) {
      assertThrows(TraceException.class, () -> CompiledKernel.compile(new Grouped(bad[0], bad[1]), Target.SM80));
    }
  }

  @Test
  void aWarpExchangesFiveTimesAndTheBlockOnceMoreThroughSharedMemory() {
    var warp = CompiledKernel.compile(new Grouped(256, 32), Target.SM80);
    assertEquals(5, count(warp, "shfl.sync.bfly"));
    assertEquals(0, warp.dynamicSharedBytes());
    var block = CompiledKernel.compile(new Grouped(256, 256), Target.SM80);
    assertEquals(8, count(block, "shfl.sync.bfly"));
    assertEquals(1, count(block, "bar.sync"));
  }

  private static long count(CompiledKernel kernel, String instruction) {
    return kernel.ptx().lines().filter(line -> line.contains(instruction)).count();
  }
}
