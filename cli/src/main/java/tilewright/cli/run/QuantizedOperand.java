package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.launch.Backend;
import tilewright.cli.tensor.NpyMatrix;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.numerics.ElementType;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowQuantization;

/**
 * A matrix of a file, or a batch of them, that kernels have quantized.
 *
 * @param factors of each matrix, where the format has them
 * @param ms of the kernels
 * @param findings of the kernels
 */
record QuantizedOperand(MemorySegment elements, MemorySegment scales, MemorySegment factors, double ms,
    List<?> findings) {
  private static final int ALIGNMENT = 256;

  /** Quantizes on a backend, by kernels for a target. */
  static QuantizedOperand of(NpyMatrix matrix, NarrowFormat format, Target target, Backend backend, Arena arena) {
    if (matrix.columns() < 1) throw CommandFailure.badFile(matrix.path(), "has K = 0; needed is at least 1");
    var layout = new NarrowLayout(format, matrix.rows(), matrix.columns());
    int batch = matrix.batch().orElse(1);
    long rows = matrix.rows();
    long columns = matrix.columns();
    var x = new LaunchArguments.Tensor("X", 0, List.of(rows, columns, (long) batch),
        List.of(columns, 1L, rows * columns));
    var buffers = new HashMap<>(Map.of("X", rows(matrix, arena), "G", singles(arena, batch), "F", singles(arena, batch),
        "Q", arena.allocate(batch * layout.elementBytes(), ALIGNMENT),
        "S", arena.allocate(batch * layout.scaleBytes(), ALIGNMENT)));
    var launches = new ArrayList<PreparedLaunch>();
    if (format.hasFactor()) launches.add(NarrowQuantization.largest(ElementType.F32, x, target));
    launches.add(NarrowQuantization.quantize(layout, ElementType.F32, x, target));
    double ms = 0;
    var findings = new ArrayList<Object>();
    for (var launch : launches) {
      var result = backend.run(launch.on(buffers));
      ms += result.ms();
      findings.addAll(result.findings());
    }
    return new QuantizedOperand(buffers.get("Q"), buffers.get("S"), buffers.get("F"), ms, findings);
  }

  private static MemorySegment singles(Arena arena, long count) {
    return arena.allocate(count * Float.BYTES, ALIGNMENT);
  }

  /** The numbers in FP32, row by row. */
  private static MemorySegment rows(NpyMatrix matrix, Arena arena) {
    var type = matrix.type().orElseThrow(() -> CommandFailure.badFile(matrix.path(),
        "its element type is '" + matrix.file().header().type().descr() + "', which could be anything; needed "
            + "is f2, f4, f8, or bfloat16 as V2"));
    var at = matrix.matrix("X");
    var data = matrix.file().data();
    int batch = matrix.batch().orElse(1);
    var singles = singles(arena, (long) batch * matrix.rows() * matrix.columns());
    long next = 0;
    for (long entry = 0; entry < batch; entry++) {
      for (long row = 0; row < matrix.rows(); row++) {
        for (long column = 0; column < matrix.columns(); column++) {
          long from = entry * at.batchStride() + row * at.rowStride() + column * at.columnStride();
          long bits = switch (type.bytes()) {
            case 2 -> data.getAtIndex(ValueLayout.JAVA_SHORT, from);
            case 4 -> data.getAtIndex(ValueLayout.JAVA_INT, from);
            default -> data.getAtIndex(ValueLayout.JAVA_LONG, from);
          };
          singles.setAtIndex(ValueLayout.JAVA_FLOAT, next++, (float) type.toDouble(bits));
        }
      }
    }
    return singles;
  }
}
