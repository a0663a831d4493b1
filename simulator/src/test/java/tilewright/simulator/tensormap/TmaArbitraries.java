package tilewright.simulator.tensormap;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/** Random tensor copies that keep all rules; small choices make small cases, so that failures shrink. */
final class TmaArbitraries {
  private static final int NUMBERS = 48;

  private TmaArbitraries() {}

  static Arbitrary<TmaCase> loads() {
    return cases(List.of(TensorElement.values()), true);
  }

  static Arbitrary<TmaCase> stores() {
    return cases(List.of(TensorElement.values()).stream().filter(e -> e != TensorElement.U4_ALIGN16B).toList(), false);
  }

  private static Arbitrary<TmaCase> cases(List<TensorElement> elements, boolean loads) {
    return Combinators.combine(Arbitraries.of(elements), Arbitraries.integers().between(1, 5),
        Arbitraries.integers().between(0, 1 << 20).list().ofSize(NUMBERS))
        .as((element, rank, numbers) -> new Choices(numbers).make(element, rank, loads));
  }

  /** Numbers that decide, one after the other; 0 is the simplest decision. */
  private static final class Choices {
    private final List<Integer> numbers;
    private int used;

    Choices(List<Integer> numbers) {
      this.numbers = numbers;
    }

    private int below(int limit) {
      return numbers.get(used++) % limit;
    }

    private <E> E one(List<E> possible) {
      return possible.get(below(possible.size()));
    }

    TmaCase make(TensorElement element, int rank, boolean loads) {
      var im2col = loads && rank > 2 && below(3) == 2;
      var swizzle = one(swizzles(element, loads));
      int inner = inner(element, swizzle);
      int granule = element.isPadded() ? 32 : 16;
      var dims = new ArrayList<Long>();
      var strides = new ArrayList<Long>();
      var steps = new ArrayList<Integer>(List.of(1));
      dims.add(element.isPadded() ? 128L * (1 + below(3)) : element.isPacked() ? 2L * (1 + below(60)) : 1L + below(60));
      long at = Math.ceilDiv(dims.getFirst() * element.bits(), 8 * granule) * granule + (long) granule * below(2);
      for (int i = 1; i < rank; i++) {
        dims.add(1L + below(new int[] {0, 12, 5, 4, 3}[i]));
        strides.add(at);
        steps.add(1 + below(3) % 2 * below(8));
        at = at * dims.get(i) + (long) granule * below(2);
      }
      var fill = loads && element.isFloat() ? one(List.of(OutOfBoundsFill.values())) : OutOfBoundsFill.ZERO;
      var view = TensorView.of(element, dims, strides).withElementStrides(steps).withSwizzle(swizzle).withFill(fill);
      int shared = 128 * below(20);
      long tensor = 32L * below(10);
      return im2col ? im2col(view, inner, tensor, shared) : tiled(view, inner, tensor, shared, loads);
    }

    private static List<SwizzleMode> swizzles(TensorElement element, boolean loads) {
      if (element == TensorElement.U4_ALIGN16B || element == TensorElement.U6_ALIGN16B) {
        return loads ? List.of(SwizzleMode.NONE, SwizzleMode.B128, SwizzleMode.B128_ATOM_32B)
            : List.of(SwizzleMode.NONE, SwizzleMode.B128, SwizzleMode.B128_ATOM_32B, SwizzleMode.B128_ATOM_64B);
      }
      var all = new ArrayList<>(List.of(SwizzleMode.values()));
      all.remove(SwizzleMode.B96);
      if (!loads) all.remove(SwizzleMode.B128_ATOM_32B_FLIP_8B);
      return all;
    }

    /** The elements of a row of the box. */
    private int inner(TensorElement element, SwizzleMode swizzle) {
      if (element.isPadded()) return 128;
      int most = swizzle.span() == 0 ? 8 : swizzle.span() / 16;
      return 16 * (1 + below(most)) * 8 / element.bits();
    }

    private int innerCoordinate(TensorView view, int inner, boolean loads) {
      int unit = view.element().isPadded() ? 128 : 128 / view.element().bits();
      int units = (int) Math.ceilDiv(view.dims().getFirst(), unit);
      return loads ? unit * (below(units + 2 * inner / unit) - inner / unit) : unit * below(units + 1);
    }

    private TmaCase tiled(TensorView view, int inner, long tensor, int shared, boolean loads) {
      var box = new ArrayList<Integer>(List.of(inner));
      var coordinates = new ArrayList<Integer>(List.of(innerCoordinate(view, inner, loads)));
      int count = inner;
      for (int i = 1; i < view.rank(); i++) {
        box.add(1 + below(new int[] {0, 9, 4, 3, 3}[i]));
        int extent = view.dims().get(i).intValue();
        coordinates.add(loads ? below(extent + 2 * box.get(i)) - box.get(i) : below(extent + 1));
        count *= Math.ceilDiv(box.get(i), view.elementStrides().get(i));
      }
      return new TmaCase(new TensorMap.Tiled(view, box), tensor, coordinates, List.of(), shared,
          count * view.element().bits() / 8, 0);
    }

    private TmaCase im2col(TensorView view, int inner, long tensor, int shared) {
      var lower = new ArrayList<Integer>();
      var upper = new ArrayList<Integer>();
      var offsets = new ArrayList<Integer>();
      var coordinates = new ArrayList<Integer>(List.of(innerCoordinate(view, inner, true)));
      for (int i = 1; i < view.rank() - 1; i++) {
        int extent = view.dims().get(i).intValue();
        int low = below(5) - 2;
        int size = 1 + below(extent + 2);
        lower.add(low);
        upper.add(low + size - extent);
        coordinates.add(low + below(size));
        offsets.add(below(4));
      }
      coordinates.add(below(view.dims().getLast().intValue()));
      int pixels = 1 + below(20);
      return new TmaCase(new TensorMap.Im2col(view, lower, upper, inner, pixels), tensor, coordinates, offsets, shared,
          inner * pixels * view.element().bits() / 8, 0);
    }
  }
}
