package tilewright.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
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

  /** A library's struct, written by hand as dlpack.h has it. */
  @Test
  void aDlpackTensorIsReadAndGivenBackOnce() throws Throwable {
    var deleted = new AtomicInteger();
    try (var arena = Arena.ofShared(); var ops = Ops.simulator()) {
      var data = arena.allocate(256, 256);
      for (int i = 0; i < 12; i++) data.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(i));
      var struct = arena.allocate(64, 8);
      struct.set(ValueLayout.JAVA_LONG, 0, data.address());
      struct.set(ValueLayout.JAVA_INT, 8, 1);
      struct.set(ValueLayout.JAVA_INT, 16, 2);
      struct.set(ValueLayout.JAVA_BYTE, 20, (byte) 2);
      struct.set(ValueLayout.JAVA_BYTE, 21, (byte) 16);
      struct.set(ValueLayout.JAVA_SHORT, 22, (short) 1);
      struct.set(ValueLayout.JAVA_LONG, 24, arena.allocateFrom(ValueLayout.JAVA_LONG, 3, 2).address());
      struct.set(ValueLayout.JAVA_LONG, 32, arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 3).address());
      struct.set(ValueLayout.JAVA_LONG, 40, 2 * Short.BYTES);
      struct.set(ValueLayout.ADDRESS, 56, Linker.nativeLinker().upcallStub(MethodHandles.lookup().bind(
          (LongConsumer) address -> deleted.addAndGet(address == struct.address() ? 1 : 100), "accept",
          MethodType.methodType(void.class, long.class)), FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG), arena));
      var tensor = ops.dlpack(struct.address());
      assertEquals("f16(3,2):(1,3)", tensor.toString());
      assertEquals(data.address() + 4, tensor.address());
      assertArrayEquals(new float[] {2, 5, 3, 6, 4, 7}, tensor.floats());
      assertEquals(0, deleted.get());
      tensor.close();
      tensor.close();
      assertEquals(1, deleted.get());
      ops.dlpack(struct.address());
      struct.set(ValueLayout.JAVA_INT, 8, 2);
      assertRefused("device type 2", () -> ops.dlpack(struct.address()));
      struct.set(ValueLayout.JAVA_BYTE, 20, (byte) 5);
      assertRefused("type code 5, 16 bits", () -> ops.dlpack(struct.address()));
      assertEquals(1, deleted.get());
      ops.close();
      assertEquals(2, deleted.get());
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
