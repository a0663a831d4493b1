package tilewright.verification.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tilewright.ops.parallel.ZigZag;

/** Random BF16 numbers of a long sequence (1,S,H,D) in the host's memory, all of which or a rank's part devices get. */
final class LongTensor implements AutoCloseable {
  /** The upper bits of an FP32 number are a BF16 one. */
  private static final int SHIFT = 16;
  /** Makes numbers between −1 and 1 have the variance 1. */
  private static final float SCALE = (float) Math.sqrt(3);

  private final Arena arena = Arena.ofShared();
  private final int tokens;
  private final int heads;
  private final int dim;
  private final MemorySegment numbers;

  LongTensor(int tokens, int heads, int dim, long seed) {
    this.tokens = tokens;
    this.heads = heads;
    this.dim = dim;
    numbers = arena.allocate(bytes(tokens), Long.BYTES);
    IntStream.range(0, tokens).parallel().forEach(token -> {
      var random = new SplittableRandom(seed << 32 | token);
      var row = numbers.asSlice(bytes(token), bytes(1));
      for (int i = 0; i < heads * dim; i++) {
        float number = SCALE * (2 * (float) random.nextDouble() - 1);
        row.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(number) >>> SHIFT));
      }
    });
  }

  private long bytes(long rows) {
    return rows * heads * dim * Short.BYTES;
  }

  /** All tokens. */
  DeviceTensor whole(Ops ops) {
    return ops.tensor(ElementType.BF16, numbers, 1, tokens, heads, dim);
  }

  /** A rank's tokens. */
  DeviceTensor part(Ops ops, ZigZag order, int rank) {
    var part = ops.empty(ElementType.BF16, 1, 2L * order.chunk(), heads, dim);
    int[] chunks = {rank, order.second(rank)};
    for (int half = 0; half < 2; half++) {
      var bytes = numbers.asSlice(bytes((long) chunks[half] * order.chunk()), bytes(order.chunk()));
      try (var chunk = ops.tensor(ElementType.BF16, bytes, 1, order.chunk(), heads, dim)) {
        ops.copy(chunk, part.slice(1, (long) half * order.chunk(), (half + 1L) * order.chunk()));
      }
    }
    return part;
  }

  @Override
  public void close() {
    arena.close();
  }
}
