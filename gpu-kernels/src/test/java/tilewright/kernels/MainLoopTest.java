package tilewright.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Target;
import tilewright.kernels.gemm.GemmConfig;
import tilewright.kernels.gemm.Sm80Gemm;
import tilewright.numerics.ElementType;

/** A main loop holds no more integer work than one written by hand would. */
class MainLoopTest {
  private static final List<String> INTEGER = List.of("add.", "sub.", "mad.", "mul.", "shl.", "shr.", "and.", "xor.",
      "min.", "max.", "selp.", "setp.", "div.", "rem.", "cvt.");

  /** Two pointers to advance, a counter to advance and to compare. */
  @Test
  void theNaiveLoopOnlyAdvancesItsPointersAndItsCounter() {
    var loop = loop(CompiledKernel.compile(new NaiveGemm(ElementType.F32), Target.SM80).ptx());
    assertEquals(4, integers(loop), loop);
  }

  /**
   * Tiles of 128×128×32 by 128 threads: four copies each of A and B. By hand: eight pointers to advance; the bytes
   * left of k (subtract, clamp twice, scale) and a choice by row for each copy; an address for each k-slice and
   * operand and one for the stage that is written; two stage numbers to advance (add, compare, choose); the counter
   * (add, compare).
   */
  @Test
  void theTensorCoreLoopHasNoIntegerWorkThatAHandWrittenOneLacks() {
    var config = new GemmConfig(new GemmConfig.Operands(ElementType.BF16, ElementType.F32, true, true),
        new GemmConfig.Tile(128, 128, 32, 2, 2, 4, 8), new GemmConfig.Vectors(8, 8, 2));
    var loop = loop(CompiledKernel.compile(new Sm80Gemm(config), Target.SM80).ptx());
    assertEquals(2 * 4 * 8, loop.lines().filter(line -> line.contains("mma.sync")).count());
    assertEquals(16, loop.lines().filter(line -> line.contains("ldmatrix")).count());
    int byHand = 8 + 4 + 8 + 4 + 1 + 6 + 2;
    assertTrue(integers(loop) <= byHand, integers(loop) + " integer instructions, by hand " + byHand + "\n" + loop);
  }

  private static long integers(String loop) {
    return loop.lines().map(line -> line.strip().replaceFirst("^@!?%p\\d+ ", ""))
        .filter(line -> INTEGER.stream().anyMatch(line::startsWith)).filter(line -> !line.contains(".f32")).count();
  }

  private static String loop(String ptx) {
    int begin = ptx.indexOf("$loop");
    begin = ptx.indexOf(":", begin);
    return ptx.substring(begin, ptx.indexOf("bra $loop", begin));
  }
}
