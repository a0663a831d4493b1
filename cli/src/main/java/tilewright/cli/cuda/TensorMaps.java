package tilewright.cli.cuda;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.L2Promotion;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.simulator.Simulator;

/** Reads the arguments of {@code cuTensorMapEncodeTiled}, as the library sends them. */
final class TensorMaps {
  private static final int MOST_DIMENSIONS = 5;

  private TensorMaps() {}

  /** A map over memory that begins at an address, and the bytes that stand for it. */
  record Encoded(TensorMap.Tiled map, long address, byte[] bytes) {}

  /** @throws IllegalArgumentException with all rules that the map breaks */
  static Encoded encode(ByteBuffer in, int architecture) {
    var element = constant("data type", TensorElement.values(), in.getLong());
    int rank = (int) in.getLong();
    long address = in.getLong();
    var interleave = constant("interleave", Interleave.values(), in.getLong());
    var swizzle = constant("swizzle", SwizzleMode.values(), in.getLong());
    var promotion = constant("L2 promotion", L2Promotion.values(), in.getLong());
    var fill = constant("fill mode", OutOfBoundsFill.values(), in.getLong());
    var extents = row(in, rank);
    var strides = row(in, rank);
    var box = integers(row(in, rank));
    var steps = integers(row(in, rank));
    var view = new TensorView(element, extents, strides.subList(0, rank - 1), steps, interleave, swizzle, promotion,
        fill);
    var map = new TensorMap.Tiled(view, box);
    return new Encoded(map, address, Simulator.encode(map, address, architecture));
  }

  private static <T> T constant(String what, T[] values, long index) {
    if (index < 0 || index >= values.length) {
      throw new IllegalArgumentException(what + " " + index + " is not known: 0 to " + (values.length - 1));
    }
    return values[(int) index];
  }

  private static List<Long> row(ByteBuffer in, int rank) {
    return IntStream.range(0, MOST_DIMENSIONS).mapToObj(_ -> in.getLong()).toList().subList(0, rank);
  }

  private static List<Integer> integers(List<Long> values) {
    return values.stream().map(Math::toIntExact).toList();
  }
}
