package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.F32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.NmsReference;

/**
 * Non-maximum suppression of N boxes B (N,4) of corners x0, y0, x1, y1 that come by falling score: K(i) is 1 where no
 * kept box before i overlaps it by more than half of their union, else 0. A box with a NaN overlaps nothing. One block,
 * because whether a box counts is known only after those before it.
 */
record Nms() implements Kernel {
  private static final int THREADS = 1024;
  private static final float THRESHOLD = 0.5f;

  static final List<Family> FAMILIES = List.of(new Family() {
    @Override
    public String name() {
      return "nms";
    }

    @Override
    public String formula() {
      return "K (N) = 1 where no kept box of B (N,4) before it overlaps by more than half";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("n", 1024));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0), List.of(1), List.of(33), List.of(1030));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(4096));
    }

    @Override
    public Workload workload(Choice choice) {
      int n = choice.number("n");
      return Workload.of(new Nms(), Target.SM80, 1, NmsReference.kept(THRESHOLD),
          Operand.input("B", ElementType.F32, choice, "n", "4"), Operand.output("K", ElementType.I32, choice, "n"))
          .computing(10.0 * n * n / 2);
    }
  });

  private record Box(F32 x0, F32 y0, F32 x1, F32 y1) {
    static Box of(List<F32> corners) {
      return new Box(corners.get(0), corners.get(1), corners.get(2), corners.get(3));
    }

    F32 area() {
      return x1.minus(x0).times(y1.minus(y0));
    }

    /** The area that both cover. */
    F32 common(Box other) {
      var zero = x0.constant(0);
      var width = x1.min(other.x1).minus(x0.max(other.x0)).max(zero);
      return width.times(y1.min(other.y1).minus(y0.max(other.y0)).max(zero));
    }
  }

  @Override
  public String name() {
    return "nms";
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var boxes = k.global(TensorSpec.of("B", ElementType.F32, "N", "four").contiguous("four").aligned(4));
    var kept = k.global(TensorSpec.of("K", ElementType.I32, "N"));
    var corner = k.constant(0);

    k.loop(thread, boxes.extent(0), THREADS, i -> kept.at(i).store(k.constant(1)));
    k.loop(boxes.extent(0), i -> {
      k.barrier();
      k.when(kept.at(i).loadInteger(1).equalTo(1), () -> {
        var best = Box.of(boxes.at(i, corner).load(4));
        k.loop(i.plus(1).plus(thread), boxes.extent(0), THREADS, j -> {
          var box = Box.of(boxes.at(j, corner).load(4));
          var common = best.common(box);
          var union = best.area().plus(box.area()).minus(common);
          k.when(common.greaterThan(union.times(THRESHOLD)), () -> kept.at(j).store(k.constant(0)));
        });
      });
    });
  }
}
