package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.simulator.SimulatorOptions;

/** The operators in the simulator, whose sanitizer finds nothing. */
class SimulatedOperatorsTest extends OperatorContract {
  @Override
  Ops openOps() {
    return Ops.simulator(SimulatorOptions.defaults().withSanitizer(true));
  }

  @Test
  void memoryOfTheProcessIsReadAndWritten() {
    try (var arena = Arena.ofConfined(); var ops = Ops.simulator()) {
      var memory = arena.allocate(64 * Float.BYTES, 256);
      for (int i = 0; i < 64; i++) memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
      // Every second column of rows of eight, from the third element on.
      var view = ops.foreign(ElementType.F32, memory.address() + 3 * Float.BYTES, Layout.parse("(2,3):(8,2)"));
      assertArrayEquals(new float[] {3, 5, 7, 11, 13, 15}, view.floats());
      assertArrayEquals(new float[] {6, 10, 14, 22, 26, 30}, ops.add(view, view).floats());
      view.set(-1f, -2, -3, -4, -5, -6);
      assertEquals(-5, memory.getAtIndex(ValueLayout.JAVA_FLOAT, 13));
      assertEquals(12, memory.getAtIndex(ValueLayout.JAVA_FLOAT, 12));
      view.close();
      assertEquals(-5, memory.getAtIndex(ValueLayout.JAVA_FLOAT, 13));
      var refusal = assertThrows(IllegalArgumentException.class,
          () -> ops.foreign(ElementType.F32, memory.address() + 1, new long[] {1}, new long[] {1})).getMessage();
      assertTrue(refusal.endsWith("is none of f32: a multiple of 4 above 0"), refusal);
    }
  }

  @Test
  void theMachineIsSaid() {
    try (var ops = Ops.simulator()) {
      assertEquals("the simulator", ops.toString());
      assertFalse(ops.isGpu());
    }
  }
}
