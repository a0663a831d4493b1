package tilewright.simulator.async;

import java.util.Optional;
import tilewright.simulator.memory.Reduction;
import tilewright.simulator.tensormap.LoadMode;

/**
 * The form of an instruction with a tensor map, as its modifiers give it.
 *
 * @param rank the number of coordinates, or 2 for four rows
 * @param reduction what a store does with what is there; empty for a copy
 * @param pair whether it may signal the other CTA of a pair ({@code .cta_group::2})
 */
public record TensorForm(LoadMode mode, int rank, Optional<Reduction> reduction, boolean multicast, boolean pair) {
  private static final int FIELD = 4;

  /** The form as a number, which generated code can hand over. */
  public int code() {
    int code = reduction.map(r -> r.ordinal() + 1).orElse(0);
    code = code << FIELD | mode.ordinal();
    code = code << FIELD | rank;
    return code << 2 | (multicast ? 2 : 0) | (pair ? 1 : 0);
  }

  static TensorForm of(int code) {
    int reduction = code >>> 2 + 2 * FIELD;
    return new TensorForm(LoadMode.values()[code >>> 2 + FIELD & 15], code >>> 2 & 15,
        reduction == 0 ? Optional.empty() : Optional.of(Reduction.values()[reduction - 1]), (code & 2) != 0,
        (code & 1) != 0);
  }

  /** The numbers inside the brackets. */
  public int coordinates() {
    return mode.isFourRows() ? 5 : rank;
  }

  /** The numbers behind the brackets. */
  public int offsets() {
    return mode.offsets(rank);
  }
}
