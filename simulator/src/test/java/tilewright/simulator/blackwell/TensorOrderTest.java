package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tilewright.simulator.Finding;
import tilewright.simulator.SimulationResult;

/** Operations that nothing orders take effect in either order, by seed; pipelined ones in that of their issue. */
class TensorOrderTest {
  private static final int SEEDS = 40;
  /** A column of the second 16 of a product of 32. */
  private static final int COLUMN = 20;

  private static SmallProduct product() {
    var p = SmallProduct.halves(TensorMachine.descriptor(SmallProduct.SHARED - 4096, 128, 256, 0));
    p.putA();
    p.putB();
    return p;
  }

  /** What a cell of the first lane holds after instructions, over many schedules. */
  private static Set<Float> outcomes(String instructions, int column) {
    var outcomes = new TreeSet<Float>();
    for (long seed = 0; seed < SEEDS; seed++) {
      var p = product();
      int descriptor = 1 << 4 | SmallProduct.M / 16 << 24 | SmallProduct.N / 8 << 17;
      var result = p.machine.run("  mov.b32 %r10, " + descriptor + ";\n  add.u32 %r11, %tm, 16;\n" + instructions,
          Blackwell.PLAIN.withSeed(seed));
      assertEquals(List.of(), result.findings());
      outcomes.add(Float.intBitsToFloat(p.machine.tensor[TensorMachine.cell(0, 0, column)]));
    }
    return outcomes;
  }

  private static String multiply(String accumulator, String enable) {
    return "  tcgen05.mma.cta_group::1.kind::f16 [" + accumulator + "], %l10, %l11, %r10, " + enable + ";\n";
  }

  @Test
  void multiplicationsIntoOneAccumulatorKeepTheirOrder() {
    float once = product().product(0, COLUMN);
    assertNotEquals(0, once);
    assertEquals(Set.of(3 * once), outcomes(multiply("%tm", "%q0") + multiply("%tm", "%q1") + multiply("%tm", "%q1"),
        COLUMN));
  }

  @Test
  void multiplicationsIntoOverlappingAccumulatorsDoNot() {
    float first = product().product(0, COLUMN);
    float second = product().product(0, COLUMN - 16);
    assertNotEquals(first, second);
    assertEquals(Set.of(first, second), outcomes(multiply("%tm", "%q0") + multiply("%r11", "%q0"), COLUMN));
  }

  @Test
  void aCopyComesBeforeTheMultiplicationThatFollows() {
    // Column 20 gets zeros from shared memory; the product, which is added to them, comes later.
    float once = product().product(0, COLUMN);
    assertEquals(Set.of(once), outcomes("  tcgen05.cp.cta_group::1.128x256b [%r11], %l12;\n" + multiply("%tm", "%q1"),
        COLUMN));
  }

  @Test
  void twoCopiesToOnePlaceComeInAnyOrder() {
    var copies = "  tcgen05.cp.cta_group::1.128x128b [%r11], %l12;\n  tcgen05.cp.cta_group::1.128x128b [%r11], %l10;\n";
    assertEquals(2, outcomes(copies, 16).size());
  }

  /** Copies replace scales, before each of some block-scaled multiplications that read a part of them. */
  private static SimulationResult rescaled(boolean multiply) {
    var machine = new TensorMachine(1, 33792, TensorMachine.descriptor(0, 128, 256, 0),
        TensorMachine.descriptor(16384, 128, 256, 0), TensorMachine.descriptor(32768, 128, 128, 0));
    var step = """
          tcgen05.cp.cta_group::1.32x128b.warpx4 [%r11], %l12;
          tcgen05.cp.cta_group::1.32x128b.warpx4 [%r12], %l12;
        """ + (multiply ? """
          tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%tm], %l10, %l11, %r10, [%r11], [%r12], %q1;
        """ : "");
    return machine.run("  mov.b32 %r10, " + (1 << 23 | SmallProduct.M / 16 << 24 | SmallProduct.N / 8 << 17) + """
        ;
          add.u32 %r11, %tm, 200;
          add.u32 %r12, %tm, 208;
        """ + step + step, Blackwell.SANITIZED);
  }

  @Test
  void scalesMayBeReplacedBehindTheMultiplicationThatReadsThem() {
    assertEquals(List.of(), rescaled(true).findings());
  }

  @Test
  void scalesThatNoMultiplicationReadMayNot() {
    assertEquals(Set.of(Finding.Kind.RACE),
        rescaled(false).findings().stream().map(Finding::kind).collect(Collectors.toSet()));
  }
}
