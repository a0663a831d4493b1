package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;
import tilewright.reference.Reference;

/**
 * Y (N,M) = X (M,N)ᵀ, rows contiguous in both, every bit as it was. {@code vector} moves 16 bytes an access if both
 * extents allow it: threads turn squares in registers and hand them on through a swizzled tile. The others move single
 * elements: {@code swizzled}, {@code padded} and {@code diagonal} (tiles in diagonal order) through a 32×32 tile,
 * {@code rows} and {@code columns} without one, reading or writing whole rows, with {@code vec=16} 16 bytes of them at
 * once.
 *
 * @param high rows of X in a tile
 * @param wide columns of X in a tile
 */
record MatrixTranspose(Path path, ElementType type, int vector, int high, int wide, int threads, int band)
    implements Kernel {
  private static final int THREADS = 256;
  /** Rows of X in a tile, and rows of Y that CTAs work through together, so that their reads meet in L2. */
  private static final int ROWS = 128;
  /** Bytes of a row of X in a tile, which then has 32 KiB. */
  private static final int ROW_BYTES = 256;
  /** Rows and columns of a tile that is transposed element by element. */
  private static final int SIDE = 32;

  enum Path { VECTOR, SWIZZLED, PADDED, DIAGONAL, ROWS, COLUMNS }

  static final List<Family> FAMILIES = List.of(new Family() {
    @Override
    public String name() {
      return "mat_transpose";
    }

    @Override
    public String formula() {
      return "Y (N,M) = X (M,N) transposed";
    }

    @Override
    public List<Setting> settings() {
      return List.of(Setting.extent("m", 4096), Setting.extent("n", 4096), Setting.option("dtype", "f32", "bf16"),
          Setting.option("path", Arrays.stream(Path.values()).map(p -> p.name().toLowerCase(Locale.ROOT))
              .toArray(String[]::new)), new Setting("vec", List.of(Setting.AUTO, "16"), Setting.Kind.TUNING),
          Setting.tuning("high"), Setting.tuning("wide"),
          Setting.tuning("threads"), Setting.tuning("band"));
    }

    /** Tiles that are handed on element by element are read so. */
    @Override
    public boolean supports(Choice choice) {
      return choice.text("vec").equals(Setting.AUTO)
          || Set.of("vector", "rows", "columns").contains(choice.text("path"));
    }

    @Override
    public List<List<Integer>> awkward() {
      return List.of(List.of(0, 5), List.of(8, 0), List.of(1, 1), List.of(33, 65), List.of(72, 200));
    }

    @Override
    public List<List<Integer>> measured() {
      return List.of(List.of(16384, 16384), List.of(1 << 20, 256), List.of(256, 1 << 20));
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      var path = Path.valueOf(choice.text("path").toUpperCase(Locale.ROOT));
      int m = choice.number("m");
      int n = choice.number("n");
      int widest = 16 / type.bytes();
      boolean aligned = m % widest == 0 && n % widest == 0;
      boolean wide = path == Path.VECTOR && aligned;
      int vector = wide || aligned && choice.tuned("vec", 0) > 0 ? widest : 1;
      int columns = wide ? choice.tuned("wide", ROW_BYTES / type.bytes()) : SIDE;
      var kernel = new MatrixTranspose(path, type, vector, wide ? choice.tuned("high", ROWS) : SIDE,
          columns, choice.tuned("threads", wide ? THREADS : Math.min(THREADS, SIDE * SIDE / vector)),
          choice.tuned("band", Math.max(1, ROWS / columns)));
      return Workload.of(kernel, Target.SM80, (long) Math.ceilDiv(m, kernel.high) * Math.ceilDiv(n, kernel.wide),
          reference(m, n), Operand.input("X", type, choice, "m", "n"), Operand.output("Y", type, choice, "n", "m"));
    }
  });

  private static Reference reference(int m, int n) {
    return tensors -> List.of(Expected.bits("Y",
        IntStream.range(0, m * n).mapToDouble(i -> tensors.get("X")[i % m * n + i / m]).toArray()));
  }

  @Override
  public String name() {
    return "transpose_" + path.name().toLowerCase(Locale.ROOT) + "_" + type.text() + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(threads);
    var x = k.global(tensor("X", "M", "N").lastingReads());
    var y = k.global(tensor("Y", "N", "M"));
    var tilesM = x.extent(0).ceilDiv(high);
    var tilesN = x.extent(1).ceilDiv(wide);
    // Of the transposed: its tiles come row by row, since memory minds scattered writes more than scattered reads.
    var tile = OutputTile.banded(k, tilesN, tilesM, band);
    var n = path == Path.DIAGONAL ? tile.m().plus(tile.n()).modulo(tilesN) : tile.m();
    var from = x.tile(List.of(high, wide), tile.n(), n);
    var to = y.tile(List.of(wide, high), n, tile.n());

    switch (path) {
      case ROWS -> direct(k, thread, from, to, false);
      case COLUMNS -> direct(k, thread, from, to, true);
      default -> {
        if (vector > 1) inSquares(k, thread, from, to);
        else throughShared(k, thread, from, to);
      }
    }
  }

  private TensorSpec tensor(String name, String rows, String columns) {
    return TensorSpec.of(name, type, rows, columns).contiguous(columns).aligned(vector).multipleOf(columns, vector);
  }

  /** Neighbouring threads along the rows of X, or along those of Y. */
  private void direct(Scope k, I32 thread, GlobalTensor from, GlobalTensor to, boolean alongY) {
    var mine = rows(high, wide);
    for (int v = 0; v < mine.values(); v += vector) {
      var place = mine.coordinate(thread, v);
      var element = alongY ? from.at(place[1], place[0]) : from.at(place);
      var target = alongY ? to.at(place) : to.at(place[1], place[0]);
      if (vector == 1) {
        element.copyTo(target, 1, Optional.of(element.inside()));
      } else {
        // Both extents are multiples of the vector.
        k.when(element.inside(), () -> {
          if (alongY) target.store(Vector.join(down(from, place[1], place[0])));
          else storeDown(to, place[1], place[0], element.vector(vector).elements());
        });
      }
    }
  }

  /** The elements of a column, one after the other. */
  private List<Vector> down(GlobalTensor tensor, I32 row, I32 column) {
    return IntStream.range(0, vector).mapToObj(i -> tensor.at(row.plus(i), column).vector(1)).toList();
  }

  private static void storeDown(GlobalTensor tensor, I32 row, I32 column, List<Vector> elements) {
    for (int i = 0; i < elements.size(); i++) tensor.at(row.plus(i), column).store(elements.get(i));
  }

  private void throughShared(Scope k, I32 thread, GlobalTensor from, GlobalTensor to) {
    var read = rows(high, wide);
    var shared = k.shared(type, shared());
    for (int v = 0; v < read.values(); v++) {
      var place = read.coordinate(thread, v);
      var element = from.at(place);
      shared.at(place).store(element.vectorOrZeros(1, element.inside()));
    }
    k.barrier();
    var written = rows(wide, high);
    for (int v = 0; v < written.values(); v++) {
      var place = written.coordinate(thread, v);
      var element = to.at(place);
      k.when(element.inside(), () -> element.store(shared.at(place[1], place[0]).vector(1)));
    }
  }

  /** Threads turn squares of vector × vector elements in registers and leave them in a tile of Y. */
  private void inSquares(Scope k, I32 thread, GlobalTensor from, GlobalTensor to) {
    var read = squares();
    var turned = k.shared(type, turned());
    for (int square = 0; square < read.values(); square += vector * vector) {
      var corner = read.coordinate(thread, square);
      // Both extents are multiples of the vector.
      var inside = from.at(corner).inside();
      var rows = new ArrayList<Vector>();
      for (int i = 0; i < vector; i++) {
        rows.add(from.at(corner[0].plus(i), corner[1]).vectorOrZeros(vector, inside));
      }
      var columns = Vector.columns(rows);
      for (int i = 0; i < vector; i++) turned.at(corner[1].plus(i), corner[0]).store(columns.get(i));
    }
    k.barrier();
    var written = rows(wide, high);
    for (int v = 0; v < written.values(); v += vector) {
      var place = written.coordinate(thread, v);
      var element = to.at(place);
      k.when(element.inside(), () -> element.store(turned.at(place).vector(vector)));
    }
  }

  /** Squares of a tile of X, side by side first. */
  private Partition squares() {
    int across = wide / vector;
    int down = threads / across;
    var lanes = Layout.of(Layout.of(across, (long) vector * high), Layout.of(down, vector));
    var values = Layout.of(Layout.of(vector, 1), Layout.of(vector, high),
        Layout.of(high / vector / down, (long) vector * down));
    return Partition.exact(Layout.of(lanes, values), high, wide);
  }

  /** A tile of Y, whose chunks of 16 bytes are permuted by the square's row: eight lanes meet every bank once. */
  private OffsetMap turned() {
    int chunk = Integer.numberOfTrailingZeros(vector);
    int row = Integer.numberOfTrailingZeros(high);
    return new ComposedLayout(new Swizzle(Math.min(row - chunk, 3), chunk, row), 0,
        Layout.of(Layout.of(wide, high), Layout.of(high, 1)));
  }

  /** Threads along whole rows of a tile first: what is moved together lies together. */
  private Partition rows(int rows, int columns) {
    int along = Math.min(columns / vector, threads);
    int down = threads / along;
    var threads = Layout.of(Layout.of(along, (long) rows * vector), Layout.of(down, 1));
    var values = Layout.of(Layout.of(vector, rows), Layout.of(Math.ceilDiv(columns, along * vector),
        (long) rows * along * vector), Layout.of(rows / down, down));
    return Partition.exact(Layout.of(threads, values), rows, columns);
  }

  /** A read down a column of the tile meets every bank once: the places of a row are permuted by the row's number. */
  private OffsetMap shared() {
    if (path == Path.PADDED) return Layout.of(Layout.of(high, wide + 1), Layout.of(wide, 1));
    return new ComposedLayout(new Swizzle(5, 0, 5), 0, Layout.of(Layout.of(high, wide), Layout.of(wide, 1)));
  }
}
