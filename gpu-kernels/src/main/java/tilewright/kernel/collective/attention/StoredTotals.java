package tilewright.kernel.collective.attention;

import java.util.List;
import java.util.function.Function;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;

/**
 * The tensors of the {@link Statistics} of rows.
 *
 * @param tensors none; that of the logarithms; or those of the maxima and of the sums
 */
public record StoredTotals(List<GlobalTensor> tensors) {
  /** Declares the tensors in a kernel. */
  public static StoredTotals of(Scope k, List<TensorSpec> specs) {
    return new StoredTotals(specs.stream().map(k::global).toList());
  }

  /** Whether anything is stored. */
  public boolean any() {
    return !tensors.isEmpty();
  }

  /** The numbers of a row, one for each tensor. */
  public List<F32> of(OnlineSoftmax.Total total) {
    return switch (tensors.size()) {
      case 0 -> List.of();
      case 1 -> List.of(total.logSumExp());
      default -> List.of(total.maximum(), total.sum());
    };
  }

  /** Returns the tensors changed, such as a part of each. */
  public StoredTotals map(Function<GlobalTensor, GlobalTensor> change) {
    return new StoredTotals(tensors.stream().map(change).toList());
  }

  /** A row's place in each of the tensors. */
  public Places at(Function<GlobalTensor, Element> place) {
    return new Places(this, tensors.stream().map(place).toList());
  }

  /** A row's places. */
  public record Places(StoredTotals of, List<Element> places) {
    /** Whether the tensors have the row. */
    public Pred inside() {
      return places.getFirst().inside();
    }

    /** Stores the row's numbers. */
    public void store(OnlineSoftmax.Total total) {
      var numbers = of.of(total);
      for (int i = 0; i < places.size(); i++) places.get(i).store(numbers.get(i));
    }
  }
}
