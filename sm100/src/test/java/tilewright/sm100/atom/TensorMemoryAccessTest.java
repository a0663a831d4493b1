package tilewright.sm100.atom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernel.TraceException;

/** Which lane and column each register of each thread has, against the matrix fragments that the PTX ISA draws. */
class TensorMemoryAccessTest {

  /** Lane and column of a thread's register in a warp's instruction. */
  private static int[] place(TensorMemoryAccess.Shape shape, int thread, int register) {
    return switch (shape) {
      case LANES_32_BITS_32 -> new int[] {thread, register};
      case LANES_16_BITS_64 -> new int[] {thread / 4 + 8 * (thread % 2), 2 * register + thread % 4 / 2};
      case LANES_16_BITS_128 -> new int[] {thread / 4 + 8 * (register % 2), register / 2 * 4 + thread % 4};
      case LANES_16_BITS_256 ->
          new int[] {thread / 4 + 8 * (register % 4 / 2), register / 4 * 8 + thread % 4 * 2 + register % 2};
    };
  }

  @ParameterizedTest
  @EnumSource
  void registersLieAsTheFragmentsAreDrawn(TensorMemoryAccess.Shape shape) {
    for (int repeats = 1; repeats <= 16; repeats *= 2) {
      var access = new TensorMemoryAccess(shape, repeats);
      var partition = access.partition();
      boolean half = shape != TensorMemoryAccess.Shape.LANES_32_BITS_32;
      int registers = partition.values() / (half ? 2 : 1);
      for (int thread = 0; thread < 128; thread++) {
        for (int value = 0; value < partition.values(); value++) {
          int[] place = place(shape, thread % 32, value % registers);
          int lane = thread / 32 * 32 + value / registers * 16 + place[0];
          assertEquals(lane + 128L * place[1], partition.layout().apply(thread + 128L * value),
              "thread " + thread + ", value " + value);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"LANES_32_BITS_32, 3", "LANES_32_BITS_32, 256", "LANES_16_BITS_256, 64", "LANES_16_BITS_128, 0"})
  void whatNoInstructionMovesIsRefused(TensorMemoryAccess.Shape shape, int repeats) {
    var problem = assertThrows(TraceException.class, () -> new TensorMemoryAccess(shape, repeats));
    assertTrue(problem.getMessage().contains("repeats " + repeats + " times"), problem.getMessage());
  }
}
