package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Pred;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.Exponential;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.Rows;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.CrossEntropyReference;

/**
 * L(m) = log Σ exp(X(m,·)) − X(m,T(m)), the cross-entropy of the logits X (M,N) with the classes T (M), in FP32, and
 * its gradient D(m,n) = scale · (softmax(X)(m,n) − [n = T(m)]) beside the logits or in their place. One pass finds a
 * row's maximum and the sum of exponentials relative to it (Milakov and Gimelshein, 2018); a second, from registers
 * where the row fits, writes the gradient. The maximum and the target's logit are subtracted before the logarithm of
 * the sum is added, because a large mean of the logits would leave no digits of the loss. A target of −100 makes loss
 * and gradient of its row 0, whatever the logits; any other that is no column makes them NaN. A NaN or +∞ makes a row
 * NaN that counts, as does a row of −∞ alone; where only the target's logit is −∞, the loss is +∞.
 */
record CrossEntropy(ElementType type, boolean inPlace, RowShape shape) implements Kernel {
  private static final Exponential EXPONENTIAL = Exponential.QUICK;
  private static final float LN_2 = 0.693147181f;

  static final List<Family> FAMILIES = List.of(new RowFamily("cross_entropy",
      "L = log Σ exp(X) - X(T), D = scale · (softmax(X) - onehot(T)), row by row (M,N), L and T (M)",
      List.of(Setting.option("gradient", "beside", "inplace"), Setting.factor("scale", 1))) {
    /** Vocabularies of Llama 2, of GPT-2, which is odd, and of Llama 3. */
    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(8192, 32000), List.of(4096, 50257), List.of(2048, 128256));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0, 8), List.of(3, 0), List.of(9, 1), List.of(21, 67), List.of(5, 128), List.of(4, 36004),
          List.of(3, 33001), List.of(7, 1004));
    }

    @Override
    boolean clusters() {
      return true;
    }

    @Override
    Workload workload(Choice choice, ElementType type, RowShape shape) {
      boolean inPlace = choice.text("gradient").equals("inplace");
      int columns = choice.number("n");
      float scale = choice.factor("scale");
      var reference = new CrossEntropyReference(type, columns, scale, inPlace ? "X" : "D");
      var operands = new ArrayList<Operand>();
      operands.add(inPlace ? Operand.updated("X", type, choice, "m", "n") : Operand.input("X", type, choice, "m", "n"));
      // One target beyond the last class, so that it is among those that are verified.
      operands.add(Operand.targets("T", columns + 1L, CrossEntropyReference.IGNORED, choice, "m"));
      operands.add(Operand.output("L", ElementType.F32, choice, "m"));
      if (!inPlace) operands.add(Operand.output("D", type, choice, "m", "n"));
      return rows(choice, new CrossEntropy(type, inPlace, shape), shape, Map.of("scale", scale), reference,
          operands.toArray(Operand[]::new));
    }
  });

  @Override
  public String name() {
    return "cross_entropy_" + type.text() + (inPlace ? "_inplace" : "");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(shape.block());
    var x = RowFamily.source(k, "X", type, shape);
    var t = k.global(TensorSpec.of("T", ElementType.I32, "M"));
    var l = k.global(TensorSpec.of("L", ElementType.F32, "M"));
    var d = inPlace ? x : RowFamily.matrix(k, "D", type, shape);
    var scale = k.scalar("scale");

    new Rows(k, thread, shape, x).forTile(tile -> {
      var targets = tile.integers(t);
      // 1. The maximum, the sum of exponentials relative to it, and what makes an exponential a gradient.
      var rows = new OnlineSum(EXPONENTIAL).of(tile)
          .map(row -> List.of(row.get(0), row.get(1), scale.dividedBy(row.get(1))));

      tile.forEach(run -> {
        var target = Target.of(targets.of(run), shape.length());
        var max = rows.of(run).get(0);
        var sum = rows.of(run).get(1);
        var factor = rows.of(run).get(2).where(target.isColumn(), k.constant(Float.NaN));
        // 2. The gradient, as if no column was the target.
        run.store(d, run.values().stream().map(v ->
            k.constant(0f).where(target.isIgnored(), EXPONENTIAL.times(v.minus(max), factor))).toList());
        // 3. The thread that has the target's logit corrects the gradient there, and knows the loss.
        k.when(run.has(target.column()), () -> {
          var v = run.at(target.column());
          run.store(d, target.column(), EXPONENTIAL.times(v.minus(max), factor).minus(scale));
          l.at(run.rowNumber()).store(max.minus(v).plus(sum.log2().times(LN_2)));
        });
      });
      // 4. The loss of rows whose target is no column.
      rows.inLeaders((row, _) -> {
        var target = Target.of(t.at(row).loadInteger(), shape.length());
        k.when(target.isColumn().not(), () ->
            l.at(row).store(k.constant(0f).where(target.isIgnored(), k.constant(Float.NaN))));
      });
    });
  }

  /**
   * A row's target.
   *
   * @param column −1 or N where it is no column
   */
  private record Target(I32 column, Pred isColumn, Pred isIgnored) {
    static Target of(I32 number, int columns) {
      return new Target(number.max(-1).min(columns), number.atLeast(0).and(number.lessThan(columns)),
          number.equalTo(CrossEntropyReference.IGNORED));
    }
  }
}
