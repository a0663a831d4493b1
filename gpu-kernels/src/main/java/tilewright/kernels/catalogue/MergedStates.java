package tilewright.kernels.catalogue;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.merging.MergedState;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.StateMergeReference;

/**
 * Merges partial attention, of a shared prefix and of each sequence's own keys for example.
 *
 * @param kernel what does it
 */
record MergedStates(StateMerge kernel) implements Kernel {
  private static final String SINKS = "sinks";
  private static final double SPREAD = 4;
  private static final String SAME = "same";
  /** States with maxima and sums in the place of logarithms. */
  private static final String APART = "apart";
  private static final List<Setting> OPTIONS = List.of(Setting.option("out", SAME, "f32", "bf16", "f16"),
      Setting.option(SINKS, "no", "yes"), Setting.option("states", "logarithms", APART));

  static final List<Family> FAMILIES = List.of(new OptionedFamily("merge_states",
      "O (B,S,H,D) and LSE (B,H,S) of attention on all keys from those on N parts, each with its LSE", OPTIONS) {
    @Override
    List<Setting> common() {
      return List.of(Setting.extent("n", 2), Setting.extent("b", 8), Setting.extent("s", 1), Setting.extent("h", 32),
          Setting.extent("d", 128), Setting.types("dtype", ElementType.BF16, ElementType.F16, ElementType.F32));
    }

    /** FP32 from types of 16 bits or to them; and sinks, and sums apart, beside the defaults of both types. */
    @Override
    public boolean supports(Choice choice) {
      boolean same = choice.text("out").equals(SAME);
      boolean narrow = choice.type("dtype").bits() == 16;
      boolean plain = same && choice.type("dtype") == ElementType.BF16;
      return (same || narrow == choice.text("out").equals("f32"))
          && (choice.text(SINKS).equals("no") && !choice.text("states").equals(APART) || plain);
    }

    @Override
    public Set<String> positive() {
      return Set.of("d");
    }

    /** One state, fewer than a warp has room for and more; rows of fewer vectors than a warp and of more. */
    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(1, 2, 3, 5, 8), List.of(45, 1, 3, 2, 136), List.of(9, 2, 1, 9, 64),
          List.of(3, 2, 3, 9, 136), List.of(2, 3, 5, 11, 64));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(2, 8192, 1, 32, 128), List.of(8, 2048, 1, 32, 128), List.of(64, 256, 1, 32, 128));
    }

    @Override
    public Workload workload(Choice choice) {
      var partial = choice.type("dtype");
      var output = choice.text("out").equals(SAME) ? partial : choice.type("out");
      boolean sinks = choice.text(SINKS).equals("yes");
      int heads = choice.number("h");
      int dim = choice.number("d");
      var sizes = new Sizes(choice.number("b"), choice.number("s"), 0, heads, heads, dim, dim);
      boolean apart = choice.text("states").equals(APART);
      var dense = MergedState.dense(output, sizes);
      var into = apart ? dense.with(Apart.dense(sizes)) : dense;
      var states = PartialStates.dense(partial, sizes, choice.number("n"));
      var launch = StateMerge.prepare(apart ? states.apart() : states, sinks ? into.withSinks(SINKS) : into,
          Target.SM80);
      // A part without keys has no logarithm.
      var gaps = new Operand.Fill.Gaps(SPREAD, Double.NEGATIVE_INFINITY);
      var ofStates = apart ? Stream.of(
          Operand.input("partialMaxima", ElementType.F32, choice, "n", "b", "h", "s").filled(gaps),
          Operand.input("partialSums", ElementType.F32, choice, "n", "b", "h", "s")
              .filled(new Operand.Fill.Magnitudes(SPREAD)))
          : Stream.of(Operand.input("partialLSE", ElementType.F32, choice, "n", "b", "h", "s").filled(gaps));
      var ofRows = (apart ? Stream.of("Maxima", "Sums") : Stream.of("LSE"))
          .map(name -> Operand.output(name, ElementType.F32, choice, "b", "h", "s"));
      var operands = Stream.of(Stream.of(Operand.input("partialO", partial, choice, "n", "b", "s", "h", "d")), ofStates,
          sinks ? Stream.of(Operand.input(SINKS, ElementType.F32, choice, "h")) : Stream.<Operand>empty(),
          Stream.of(Operand.output("O", output, choice, "b", "s", "h", "d")), ofRows).flatMap(some -> some).toList();
      return Workload.of(launch, operands,
          new StateMergeReference(choice.number("n"), choice.number("s"), heads, dim, output, apart));
    }
  });

  @Override
  public String name() {
    return kernel.name();
  }

  @Override
  public void trace(Scope k) {
    kernel.trace(k);
  }
}
