package tilewright.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowQuantization;

/**
 * A matrix of a file that kernels have quantized.
 *
 * @param factor of all numbers
 * @param ms of the kernels
 * @param findings of the kernels
 */
record QuantizedOperand(MemorySegment elements, MemorySegment scales, float factor, double ms, List<?> findings) {
  private static final int ALIGNMENT = 256;

  /** Quantizes on a backend. */
  static QuantizedOperand of(NpyMatrix matrix, NarrowFormat format, Backend backend, Arena arena) {
    if (matrix.batch().isPresent()) {
      throw CommandFailure.badFile(matrix.path(), "is a batch; what is quantized is one matrix");
    }
    if (matrix.columns() < 1) throw CommandFailure.badFile(matrix.path(), "has K = 0; needed is at least 1");
    var layout = new NarrowLayout(format, matrix.rows(), matrix.columns());
    var x = new LaunchArguments.Tensor("X", 0, List.of((long) matrix.rows(), (long) matrix.columns()),
        List.of((long) matrix.columns(), 1L));
    var buffers = new HashMap<>(Map.of("X", rows(matrix, arena), "G", arena.allocate(Float.BYTES, ALIGNMENT),
        "Q", arena.allocate(layout.elementBytes(), ALIGNMENT), "S", arena.allocate(layout.scaleBytes(), ALIGNMENT)));
    var launches = new ArrayList<PreparedLaunch>();
    if (format.hasFactor()) launches.add(NarrowQuantization.largest(ElementType.F32, x));
    launches.add(NarrowQuantization.quantize(layout, ElementType.F32, x));
    double ms = 0;
    var findings = new ArrayList<Object>();
    for (var launch : launches) {
      var result = backend.run(launch.on(buffers));
      ms += result.ms();
      findings.addAll(result.findings());
    }
    float factor = format.factor(buffers.get("G").get(ValueLayout.JAVA_FLOAT, 0));
    return new QuantizedOperand(buffers.get("Q"), buffers.get("S"), factor, ms, findings);
  }

  /** The numbers as singles, row by row. */
  private static MemorySegment rows(NpyMatrix matrix, Arena arena) {
    var type = matrix.type().orElseThrow(() -> CommandFailure.badFile(matrix.path(),
        "its element type is 'u2', which could be anything; needed is f2, f4, f8, or bfloat16 as V2"));
    var at = matrix.matrix("X");
    var data = matrix.file().data();
    var singles = arena.allocate((long) matrix.rows() * matrix.columns() * Float.BYTES, ALIGNMENT);
    for (long row = 0; row < matrix.rows(); row++) {
      for (long column = 0; column < matrix.columns(); column++) {
        long from = row * at.rowStride() + column * at.columnStride();
        long bits = switch (type.bytes()) {
          case 2 -> data.getAtIndex(ValueLayout.JAVA_SHORT, from);
          case 4 -> data.getAtIndex(ValueLayout.JAVA_INT, from);
          default -> data.getAtIndex(ValueLayout.JAVA_LONG, from);
        };
        singles.setAtIndex(ValueLayout.JAVA_FLOAT, row * matrix.columns() + column, (float) type.toDouble(bits));
      }
    }
    return singles;
  }
}
