package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import tilewright.kernel.Element;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;
import tilewright.reference.Reference;

/**
 * Rotary position embedding of X (S,H,D): every pair (a, b) of a head becomes (a·c - b·s, a·s + b·c), c and s of
 * tables C and T (S,D/2) of FP32. Pairs are neighbours, (2i, 2i+1), or {@code half} a head apart, (i, i+D/2). In
 * FP32, rounded once; NaNs and infinities as the formula has them.
 *
 * @param vector elements of one access
 * @param tokens that a CTA's threads lie on at once
 * @param heads of each token that they lie on at once
 * @param each heads of a thread, all with the same angles
 */
record Rope(boolean half, ElementType type, int pairs, int vector, int tokens, int heads, int each)
    implements Kernel {
  /** Threads of a CTA of which an SM has two, with 52 KiB under way: there memory is at its best (H200). */
  private static final int TWO_A_MULTIPROCESSOR = 832;
  /** Threads of a CTA that needs more than half of the registers. */
  private static final int ONE_A_MULTIPROCESSOR = 1024;
  private static final int WIDEST_SINGLES = 4;
  private static final int WIDEST_BYTES = 16;

  static final List<Family> FAMILIES = List.of(new Family() {
    @Override
    public String name() {
      return "rope";
    }

    @Override
    public String formula() {
      return "Y = X (S,H,D) with pairs rotated by tables C and T (S,D/2)";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("s", 1024), Setting.extent("h", 32), Setting.extent("d", 128),
          Setting.extent("pairs", 64), Setting.option("dtype", "f32", "f16", "bf16"),
          Setting.option("convention", "neighbours", "half"),
          new Setting("vec", List.of(Setting.AUTO, "16", "8"), Setting.Kind.TUNING), Setting.tuning("threads"),
          Setting.tuning("each"));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0, 2, 8, 4), List.of(3, 1, 2, 1), List.of(5, 3, 6, 3), List.of(7, 5, 80, 40));
    }

    @Override
    public Set<String> positive() {
      return Set.of("d", "pairs");
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(65536, 32, 128, 64));
    }

    @Override
    public Workload workload(Choice choice) {
      int dim = choice.number("d");
      if (dim % 2 != 0 || choice.number("pairs") != dim / 2) {
        throw new IllegalArgumentException("invalid head of d=" + dim + " with pairs=" + choice.number("pairs")
            + ": d is even and pairs is half of it");
      }
      var type = choice.type("dtype");
      boolean half = choice.text("convention").equals("half");
      int vector = Math.min(choice.tuned("vec", WIDEST_BYTES) / type.bytes(),
          Integer.lowestOneBit(half ? dim / 2 : dim));
      var kernel = of(half, type, dim / 2, vector, choice);
      long tiles = (long) Math.ceilDiv(choice.number("s"), kernel.tokens)
          * Math.ceilDiv(choice.number("h"), kernel.heads * kernel.each);
      return Workload.of(kernel, Target.SM80, tiles, reference(type, choice, half),
          Operand.input("X", type, choice, "s", "h", "d"), Operand.input("C", ElementType.F32, choice, "s", "pairs"),
          Operand.input("T", ElementType.F32, choice, "s", "pairs"), Operand.output("Y", type, choice, "s", "h", "d"));
    }
  });

  /**
   * Neighbours in FP32 have as many bytes of angles as of elements: many tokens a CTA, so that it reads a good piece
   * of the tables, which the CTAs of other heads beside it find in L2. Others have more bytes of angles: a CTA has all
   * heads of a token, so that they come from L1.
   */
  private static Rope of(boolean half, ElementType type, int pairs, int vector, Choice choice) {
    boolean manyTokens = !half && type == ElementType.F32;
    int threads = choice.tuned("threads", manyTokens ? TWO_A_MULTIPROCESSOR : ONE_A_MULTIPROCESSOR);
    int accesses = manyTokens ? 2 : 4;
    int atOnce = Math.max(1, threads / (pairs / run(half, vector)));
    int each = Math.max(1, Math.min(choice.number("h"), choice.tuned("each", half ? accesses / 2 : accesses)));
    int allHeads = Math.clamp(Math.ceilDiv(choice.number("h"), each), 1, atOnce);
    int tokens = Math.clamp(choice.number("s"), 1, manyTokens ? atOnce : atOnce / allHeads);
    return new Rope(half, type, pairs, vector, tokens, Math.min(allHeads, atOnce / tokens), each);
  }

  /** Pairs of an access. */
  private static int run(boolean half, int vector) {
    return half ? vector : vector / 2;
  }

  private static Reference reference(ElementType type, Choice choice, boolean half) {
    int dim = choice.number("d");
    int heads = choice.number("h");
    return tensors -> {
      var x = tensors.get("X");
      var exact = new double[x.length];
      var single = new double[x.length];
      for (int i = 0; i < x.length; i++) {
        int d = i % dim;
        boolean first = half ? d < dim / 2 : d % 2 == 0;
        int pair = half ? d % (dim / 2) : d / 2;
        int other = half ? i + (first ? dim / 2 : -dim / 2) : i ^ 1;
        int at = i / dim / heads * (dim / 2) + pair;
        double c = tensors.get("C")[at];
        double s = first ? -tensors.get("T")[at] : tensors.get("T")[at];
        exact[i] = x[i] * c + x[other] * s;
        single[i] = type.round(Math.fma((float) x[i], (float) c, (float) x[other] * (float) s));
      }
      return List.of(Expected.rounded("Y", exact, single));
    };
  }

  @Override
  public String name() {
    return "rope_" + (half ? "half_" : "neighbours_") + type.text() + "_x" + vector;
  }

  /** (thread, pair of a run and head of the thread) → place in a tile of tokens × heads × pairs. */
  private Partition partition() {
    int run = run(half, vector);
    int tileHeads = heads * each;
    long pair = (long) tokens * tileHeads;
    var threads = Layout.of(Layout.of(pairs / run, run * pair), Layout.of(heads, tokens), Layout.of(tokens, 1));
    var values = Layout.of(Layout.of(run, pair), Layout.of(each, (long) heads * tokens));
    return Partition.exact(Layout.of(threads, values), tokens, tileHeads, pairs);
  }

  @Override
  public void trace(Scope k) {
    var mine = partition();
    var thread = k.block(mine.threads());
    var all = k.global(tensor("X").lastingReads());
    var tile = OutputTile.byRows(k, all.extent(1).ceilDiv(heads * each).max(1));
    var zero = k.constant(0);
    var x = all.tile(List.of(tokens, heads * each), tile.m(), tile.n(), zero);
    var y = k.global(tensor("Y")).tile(List.of(tokens, heads * each), tile.m(), tile.n(), zero);
    int run = run(half, vector);
    var places = IntStream.range(0, each).mapToObj(head -> mine.coordinate(thread, head * run)).toList();
    var loaded = places.stream().map(place -> accesses(x, place).stream()
        .map(from -> from.vectorOrZeros(vector, from.inside())).toList()).toList();
    var c = angles(table(k, "C", tile.m()), places.getFirst());
    var t = angles(table(k, "T", tile.m()), places.getFirst());
    for (int head = 0; head < each; head++) {
      var to = accesses(y, places.get(head));
      var values = loaded.get(head).stream().flatMap(v -> v.values().stream()).toList();
      var results = rotated(values, c, t);
      for (int i = 0; i < to.size(); i++) {
        var target = to.get(i);
        var part = results.subList(i * vector, (i + 1) * vector);
        k.when(target.inside(), () -> target.store(part));
      }
    }
  }

  private TensorSpec tensor(String name) {
    return TensorSpec.of(name, type, "S", "H", "D").contiguous("D").aligned(vector).multipleOf("D", vector);
  }

  private GlobalTensor table(Scope k, String name, I32 tile) {
    int width = Math.min(WIDEST_SINGLES, run(half, vector));
    return k.global(TensorSpec.of(name, ElementType.F32, "S", "P").contiguous("P").aligned(width)
        .multipleOf("P", width).lastingReads()).tile(List.of(tokens), tile, k.constant(0));
  }

  /** A run of pairs is one run of elements, or one in each half of the head. */
  private List<Element> accesses(GlobalTensor tensor, I32[] place) {
    return half ? List.of(tensor.at(place), tensor.at(place[0], place[1], place[2].plus(pairs)))
        : List.of(tensor.at(place[0], place[1], place[2].times(2)));
  }

  private List<F32> angles(GlobalTensor table, I32[] place) {
    int run = run(half, vector);
    int width = Math.min(WIDEST_SINGLES, run);
    var values = new ArrayList<F32>();
    for (int i = 0; i < run; i += width) {
      var angle = table.at(place[0], place[2].plus(i));
      values.addAll(angle.vectorOrZeros(width, angle.inside()).values());
    }
    return values;
  }

  /** Pair i of the values is (2i, 2i + 1), or (i, i + run). */
  private List<F32> rotated(List<F32> values, List<F32> c, List<F32> t) {
    var results = new ArrayList<F32>(values);
    for (int i = 0; i < c.size(); i++) {
      int first = half ? i : 2 * i;
      int second = half ? i + c.size() : 2 * i + 1;
      var a = values.get(first);
      var b = values.get(second);
      results.set(first, a.fma(c.get(i), b.times(t.get(i)).negated()));
      results.set(second, b.fma(c.get(i), a.times(t.get(i))));
    }
    return results;
  }
}
