package tilewright.sm90.attention;

import java.util.List;
import java.util.function.Supplier;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.atom.Shuffle;

/** Numbers that one lane of each warp reads and tells the others, so that its own arrival says that all is read. */
final class WarpRead {
  private WarpRead() {}

  /**
   * @param lane of the warp
   * @param most that a number can be
   */
  static List<I32> of(Scope k, I32 lane, int most, List<Supplier<I32>> numbers) {
    var read = numbers.stream().map(_ -> k.variable(k.constant(0), most)).toList();
    k.when(lane.equalTo(0), () -> {
      for (int i = 0; i < read.size(); i++) read.get(i).set(numbers.get(i).get());
    });
    return read.stream().map(number -> Shuffle.first(k, number.value(), most)).toList();
  }
}
