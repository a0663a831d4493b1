package tilewright.docs;

import java.util.List;
import tilewright.kernel.CompiledKernel;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.layout.draw.Drawing;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.Sm90AttentionKernel;

/** Hopper attention's use of a CTA's shared memory, by head dimension. */
final class AttentionMemory {
  private static final List<Integer> HEAD_DIMS = List.of(64, 128, 256);
  private static final List<String> TENSORS = List.of("Q", "K", "V", "O");
  private static final int LENGTH = 512;
  private static final int BLOCK_BYTES = 227 << 10;
  private static final int LEFT = 60;
  private static final int WIDTH = 640;
  private static final int ROW = 60;

  private AttentionMemory() {}

  static Drawing figure() {
    var drawing = new Drawing(LEFT + WIDTH + 20, ROW * HEAD_DIMS.size() + 24,
        "Shared memory of a CTA of Hopper attention by head dimension: tiles of Q and O, rings of K and V");
    for (int i = 0; i < HEAD_DIMS.size(); i++) {
      int top = ROW * i + 8;
      drawing.text(6, top + 26, "title", "d " + HEAD_DIMS.get(i));
      var parts = kernel(HEAD_DIMS.get(i)).sharedTensors();
      for (int part = 0; part < TENSORS.size(); part++) {
        int from = parts.get(part).offset();
        int bytes = parts.get(part + 1).offset() - from;
        drawing.box(x(from), top, x(from + bytes) - x(from), 44, TENSORS.get(part), (bytes >> 10) + " KiB");
      }
      drawing.line(x(BLOCK_BYTES), top - 4, x(BLOCK_BYTES), top + 48);
    }
    return drawing.text(x(BLOCK_BYTES) - 180, ROW * HEAD_DIMS.size() + 18, "small", "227 KiB are all there is");
  }

  private static int x(int bytes) {
    return LEFT + (int) ((long) bytes * WIDTH / BLOCK_BYTES);
  }

  private static CompiledKernel kernel(int headDim) {
    return new Sm90AttentionKernel().prepare(AttentionProblem.dense(ElementType.BF16, Sizes.of(1, LENGTH, LENGTH, 1,
        headDim))).kernel();
  }
}
