package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.reference.AdamWReference;

/**
 * One step of AdamW (Loshchilov and Hutter, 2019, algorithm 2), in place: M = β₁·M + (1 − β₁)·G,
 * V = β₂·V + (1 − β₂)·G², P = P − lr·(M / c₁ / (√(V / c₂) + ε) + decay·P), with the bias corrections
 * cᵢ = 1 − βᵢᵗ of step t. The moments M and V are FP32, the parameters P and gradients G of one element type; all is
 * computed in FP32, and P is rounded once, to nearest even. A NaN in any tensor makes the parameter NaN, as do an
 * infinite gradient, an infinite parameter and a negative V; an infinite V stops the parameter but for its decay.
 */
record AdamStep(ElementType type, int vector, int threads, int bytes) implements Kernel {
  private static final int THREADS = 128;
  /** Bytes of a moment per thread: the four tensors have 64 bytes under way. */
  private static final int BYTES = 16;

  static final List<Family> FAMILIES = List.of(new Family() {
    @Override
    public String name() {
      return "adamw";
    }

    @Override
    public String formula() {
      return "P, M, V = AdamW(P, G, M, V), element by element (N), M and V of f32";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("n", 1 << 20), Setting.option("dtype", "f32", "f16", "bf16"),
          Setting.option("vec", "16", "4"), Setting.factor("lr", "0.001"), Setting.factor("beta1", "0.9"),
          Setting.factor("beta2", "0.999"), Setting.factor("eps", "1e-8"), Setting.factor("decay", "0.01"),
          Setting.count("step", 10), Setting.tuning("threads"), Setting.tuning("bytes"));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0), List.of(1), List.of(511), List.of(1024), List.of(4099));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(1 << 27));
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      var kernel = new AdamStep(type, choice.vector("vec", ElementType.F32), choice.tuned("threads", THREADS),
          choice.tuned("bytes", BYTES));
      var reference = reference(type, choice);
      return Workload.of(kernel, Target.SM80, Dim3.of(Math.ceilDiv(choice.number("n"), kernel.partition().size())),
          Map.of("lr", reference.rate(), "beta1", reference.beta1(), "beta2", reference.beta2(),
              "eps", reference.epsilon(), "decay", reference.decay(), "correction1", reference.correction1(),
              "correction2", reference.correction2()), reference,
          Operand.updated("P", type, choice, "n"), Operand.input("G", type, choice, "n"),
          Operand.updated("M", ElementType.F32, choice, "n"),
          Operand.updated("V", ElementType.F32, choice, "n").filled(new Operand.Fill.Magnitudes(1)));
    }
  });

  private static AdamWReference reference(ElementType type, Choice choice) {
    return new AdamWReference(type, choice.factor("lr"), choice.factor("beta1"), choice.factor("beta2"),
        choice.factor("eps"), choice.factor("decay"), correction(choice, "beta1"), correction(choice, "beta2"));
  }

  /** 1 − βᵗ, rounded once. */
  private static float correction(Choice choice, String beta) {
    return (float) (1 - Math.pow(choice.factor(beta), choice.number("step")));
  }

  @Override
  public String name() {
    return "adamw_" + type.text() + "_x" + vector;
  }

  private Partition partition() {
    return Partition.runs(threads, vector, bytes / ElementType.F32.bytes() / vector);
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads);
    var mine = partition();
    var p = tile(k, "P", type);
    var g = tile(k, "G", type);
    var m = tile(k, "M", ElementType.F32);
    var v = tile(k, "V", ElementType.F32);
    var step = Step.of(k);

    k.when(p.contains(k.constant(mine.size() - 1)),
        () -> {
          // All loads of a tile are under way before the first store.
          var runs = new ArrayList<Run>();
          for (int value = 0; value < mine.values(); value += vector) {
            var first = mine.coordinate(thread, value);
            runs.add(Run.load(vector, p.at(first), g.at(first), m.at(first), v.at(first)));
          }
          runs.forEach(run -> run.update(step));
        },
        () -> k.loop(thread, p.remaining(0, mine.size()), threads, i ->
            Run.load(1, p.at(i), g.at(i), m.at(i), v.at(i)).update(step)));
  }

  private GlobalTensor tile(Scope k, String name, ElementType elements) {
    return k.global(TensorSpec.of(name, elements, "N").contiguous("N").aligned(vector).lastingReads())
        .tile(List.of(partition().size()), k.blockX());
  }

  /**
   * Neighbours of the four tensors.
   *
   * @param state where P, M and V lie
   * @param before the values of P, G, M and V
   */
  private record Run(List<Element> state, List<Vector> before) {
    static Run load(int count, Element p, Element g, Element m, Element v) {
      return new Run(List.of(p, m, v), Stream.of(p, g, m, v).map(element -> element.vector(count)).toList());
    }

    void update(Step step) {
      var values = before.stream().map(Vector::values).toList();
      var after = IntStream.range(0, values.getFirst().size())
          .mapToObj(i -> step.of(values.stream().map(tensor -> tensor.get(i)).toList())).toList();
      for (int tensor = 0; tensor < state.size(); tensor++) {
        int number = tensor;
        state.get(tensor).store(after.stream().map(element -> element.get(number)).toList());
      }
    }
  }

  /**
   * The numbers of a step.
   *
   * @param unbias1 1 / c₁
   * @param unbias2 1 / c₂
   */
  private record Step(F32 rate, F32 beta1, F32 beta2, F32 epsilon, F32 decay, F32 unbias1, F32 unbias2) {
    static Step of(Scope k) {
      var one = k.constant(1f);
      return new Step(k.scalar("lr"), k.scalar("beta1"), k.scalar("beta2"), k.scalar("eps"), k.scalar("decay"),
          one.dividedBy(k.scalar("correction1")), one.dividedBy(k.scalar("correction2")));
    }

    /** P, M and V after the step from P, G, M and V before it. */
    List<F32> of(List<F32> before) {
      var p = before.get(0);
      var g = before.get(1);
      var mean = before.get(2).fma(beta1, g.times(complement(beta1)));
      var square = before.get(3).fma(beta2, g.times(g).times(complement(beta2)));
      var step = mean.times(unbias1).dividedBy(square.times(unbias2).root().plus(epsilon));
      return List.of(p.fma(decay, step).fma(rate.negated(), p), mean, square);
    }

    /** 1 − β, which is exact for β of 1/2 or more. */
    private static F32 complement(F32 beta) {
      return beta.negated().plus(1);
    }
  }
}
