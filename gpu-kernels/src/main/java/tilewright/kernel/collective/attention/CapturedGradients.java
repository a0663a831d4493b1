package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.Derivative;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.Shuffle;
import tilewright.numerics.ElementType;

/**
 * What a thread's scores of a tile add to the gradients of captured tensors: each score that has read an element adds
 * its own gradient, times its derivative by the element, atomically in FP32. Scores of a thread that have read the same
 * element add up first, and those of a warp where the index is the same for all of a tile.
 */
public final class CapturedGradients {
  private final List<Part> parts = new ArrayList<>();
  private int scores;

  /**
   * The read of an element by a score.
   *
   * @param value number of the score among the thread's
   * @param derivative of the score by the element
   * @param uniform whether all scores of the tile read this element
   */
  private record Part(int value, GlobalTensor.Read read, F32 derivative, boolean uniform) {
    boolean isOf(Part other) {
      return read.isOf(other.read);
    }
  }

  CapturedGradients() {}

  /** The specification of the gradient of a tensor, whose extents it has. */
  static TensorSpec spec(TensorSpec tensor) {
    var modes = tensor.extents().toArray(String[]::new);
    return TensorSpec.of("d" + tensor.name(), ElementType.F32, modes).contiguous(modes[modes.length - 1]);
  }

  /**
   * Notes the elements that the thread's next score has read.
   *
   * @param places rows and columns of scores: what is not computed from them is the same in all of the tile
   * @throws tilewright.kernel.TraceException where the score has no derivative by an element
   */
  void note(F32 score, List<GlobalTensor.Read> reads, List<I32> places) {
    for (var read : reads) {
      var derivative = Derivative.of(score, read.value());
      // Scores are overwritten before gradients are added; integers can be computed from again.
      boolean kept = derivative.known().isEmpty() && !derivative.isOfIntegers();
      boolean uniform = read.coordinate().stream().noneMatch(index -> index.dependsOn(places));
      parts.add(new Part(scores, read, kept ? derivative.settled() : derivative, uniform));
    }
    scores++;
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return parts.isEmpty();
  }

  /**
   * Adds to the gradients, in all threads of a warp together.
   *
   * @param changed the gradient by each changed score: 0 where the key is hidden
   */
  public void add(Scope k, I32 thread, List<F32> changed) {
    var left = new ArrayList<>(parts);
    while (!left.isEmpty()) {
      var first = left.getFirst();
      var same = left.stream().filter(first::isOf).toList();
      left.removeAll(same);
      var sum = same.stream().map(part -> gradient(part, changed.get(part.value))).reduce(F32::plus).orElseThrow();
      add(k, thread, first, sum);
    }
  }

  private static F32 gradient(Part part, F32 changed) {
    var derivative = part.derivative;
    if (derivative.known().isPresent()) {
      float factor = derivative.known().get();
      return factor == 1 ? changed : changed.times(factor);
    }
    // A derivative may be infinite where a mask hides the key.
    return changed.times(derivative).where(changed.notEqualTo(0), changed);
  }

  private static void add(Scope k, I32 thread, Part part, F32 sum) {
    var element = k.global(spec(part.read.tensor())).at(part.read.coordinate().toArray(I32[]::new));
    if (!part.uniform) {
      element.atomicAdd(sum);
      return;
    }
    var total = sum;
    for (int bit = 1; bit < Warp.SIZE; bit *= 2) total = total.plus(Shuffle.butterfly(k, total, bit));
    var all = total;
    all.register();
    k.when(thread.modulo(Warp.SIZE).equalTo(0), () -> element.atomicAdd(all));
  }
}
