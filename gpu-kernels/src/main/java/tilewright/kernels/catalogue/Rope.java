package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;
import tilewright.reference.Reference;

/**
 * Rotary position embedding of X (S,H,D): every pair (a, b) of a head becomes (a·c - b·s, a·s + b·c) with c and s from
 * tables C and T (S,D/2) of singles. Pairs are neighbours, (2i, 2i+1), or {@code half} a head apart, (i, i+D/2). In
 * single precision, rounded once; NaNs and infinities as the formula has them.
 *
 * @param vector elements of one access
 */
record Rope(boolean half, ElementType type, int dim, int vector) implements Kernel {
  private static final int THREADS = 256;
  private static final int ROWS_A_THREAD = 2;
  private static final int WIDEST_SINGLES = 4;

  static final Family FAMILY = new Family() {
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
          Setting.option("convention", "neighbours", "half"));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0, 2, 8, 4), List.of(3, 1, 2, 1), List.of(5, 3, 6, 3), List.of(7, 5, 80, 40));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(65536, 32, 128, 64));
    }

    @Override
    public Workload workload(Choice choice) {
      int dim = choice.number("d");
      if (dim == 0 || dim % 2 != 0 || choice.number("pairs") != dim / 2) {
        throw new IllegalArgumentException("invalid head of d=" + dim + " with pairs=" + choice.number("pairs")
            + ": d is even and pairs is half of it");
      }
      var type = choice.type("dtype");
      boolean half = choice.text("convention").equals("half");
      int vector = Math.min(16 / type.bytes(), Integer.lowestOneBit(half ? dim / 2 : dim));
      var kernel = new Rope(half, type, dim, vector);
      long rows = (long) choice.number("s") * choice.number("h");
      return Workload.of(kernel, Target.SM80, Math.ceilDiv(rows, kernel.rows()), reference(type, choice, half),
          Operand.input("X", type, choice, "s", "h", "d"), Operand.input("C", ElementType.F32, choice, "s", "pairs"),
          Operand.input("T", ElementType.F32, choice, "s", "pairs"), Operand.output("Y", type, choice, "s", "h", "d"));
    }
  };

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

  /** Units of work of a head: a run of neighbours, or one of each half. */
  private int units() {
    return dim / (half ? 2 * vector : vector);
  }

  private int rowsAtOnce() {
    return Math.max(1, THREADS / units());
  }

  private int rows() {
    return rowsAtOnce() * ROWS_A_THREAD;
  }

  @Override
  public void trace(Scope k) {
    var mine = Partition.exact(Layout.of(Layout.of(Layout.of(units(), rows()), Layout.of(rowsAtOnce(), 1)),
        Layout.of(ROWS_A_THREAD, rowsAtOnce())), rows(), units());
    var thread = k.block(mine.threads());
    var x = tensor(k, "X");
    var y = tensor(k, "Y");
    var cosines = table(k, "C");
    var sines = table(k, "T");
    for (int v = 0; v < mine.values(); v++) {
      var place = mine.coordinate(thread, v);
      var row = k.blockX().times(rows()).plus(place[0]);
      var s = row.dividedBy(x.extent(1));
      var h = row.modulo(x.extent(1));
      k.when(s.lessThan(x.extent(0)), () -> {
        if (half) rotateHalves(x, y, cosines, sines, s, h, place[1].times(vector));
        else rotateNeighbours(x, y, cosines, sines, s, h, place[1]);
      });
    }
  }

  private GlobalTensor tensor(Scope k, String name) {
    return k.global(TensorSpec.of(name, type, "S", "H", "D").contiguous("D").aligned(vector).multipleOf("D", vector));
  }

  private GlobalTensor table(Scope k, String name) {
    int run = Math.min(WIDEST_SINGLES, half ? vector : Math.max(1, vector / 2));
    return k.global(TensorSpec.of(name, ElementType.F32, "S", "P").contiguous("P").aligned(run).multipleOf("P", run));
  }

  private void rotateNeighbours(GlobalTensor x, GlobalTensor y, GlobalTensor cosines, GlobalTensor sines, I32 s,
      I32 h, I32 unit) {
    var values = x.at(s, h, unit.times(vector)).load(vector);
    var c = angles(cosines, s, unit.times(vector / 2), vector / 2);
    var t = angles(sines, s, unit.times(vector / 2), vector / 2);
    var results = new ArrayList<F32>();
    for (int i = 0; i < vector / 2; i++) {
      var a = values.get(2 * i);
      var b = values.get(2 * i + 1);
      results.add(first(a, b, c.get(i), t.get(i)));
      results.add(second(a, b, c.get(i), t.get(i)));
    }
    y.at(s, h, unit.times(vector)).store(results);
  }

  private void rotateHalves(GlobalTensor x, GlobalTensor y, GlobalTensor cosines, GlobalTensor sines, I32 s, I32 h,
      I32 from) {
    var to = from.plus(dim / 2);
    var a = x.at(s, h, from).load(vector);
    var b = x.at(s, h, to).load(vector);
    var c = angles(cosines, s, from, vector);
    var t = angles(sines, s, from, vector);
    y.at(s, h, from).store(IntStream.range(0, vector)
        .mapToObj(i -> first(a.get(i), b.get(i), c.get(i), t.get(i))).toList());
    y.at(s, h, to).store(IntStream.range(0, vector)
        .mapToObj(i -> second(a.get(i), b.get(i), c.get(i), t.get(i))).toList());
  }

  private static List<F32> angles(GlobalTensor table, I32 s, I32 from, int count) {
    int run = Math.min(WIDEST_SINGLES, count);
    var values = new ArrayList<F32>();
    for (int i = 0; i < count; i += run) values.addAll(table.at(s, from.plus(i)).load(run));
    return values;
  }

  private static F32 first(F32 a, F32 b, F32 c, F32 t) {
    return a.fma(c, b.times(t).negated());
  }

  private static F32 second(F32 a, F32 b, F32 c, F32 t) {
    return b.fma(c, a.times(t));
  }
}
