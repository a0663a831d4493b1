package tilewright.cli.bench;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.SourceCommit;
import tilewright.cli.io.TextTable;
import tilewright.cli.sweep.DividedCommand;
import tilewright.cli.sweep.MeasuredShard;
import tilewright.cli.sweep.SweepOptions;
import tilewright.device.cubin.UserCache;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.library.TiledGemmKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.bench.BenchmarkException;
import tilewright.verification.bench.GemmTuning;
import tilewright.verification.bench.RowMeasurement;
import tilewright.verification.bench.TileTimes;
import tools.jackson.databind.json.JsonMapper;

/** {@code tilewright tune}: finds the fastest tunings of a kernel on this machine's GPU. */
@Command(name = "tune", description = {
    "Measure the Hopper GEMM's tiles on this machine's GPU and keep the fastest of each shape for run gemm.",
    "Without it run gemm takes the tile that should be fastest by its cost model.",
    "With KERNEL, measure that kernel in every combination of the values of its tunings, and name the fastest."})
@Examples({"tune --shape 16x4096x4096", "tune --draw 20 --seed 7 --rows 65-511 --compare peers",
    "tune relu --set threads=128,256,512"})
public final class TuneCommand implements Callable<Integer> {
  private static final String SHAPE = "[1-9]\\d{0,8}(x[1-9]\\d{0,8}){2}";
  /** In a millisecond. */
  private static final double NANOSECONDS = 1e6;

  private final Console console;
  private final KernelRegistry registry;
  private final TiledGemmKernel kernel;

  @Parameters(paramLabel = "KERNEL", arity = "0..1", description = "A kernel with tunings (default: sm90_gemm).")
  private Optional<String> name;

  @Option(names = "--set", paramLabel = "NAME=VALUES",
      description = "Values of a KERNEL's setting to try, commas between; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Mixin
  private ShapeOptions shapes = new ShapeOptions();

  @Option(names = "--order", paramLabel = "TN|NN|TT|NT", defaultValue = "TN",
      description = "Order of the operands as BLAS names it (default: TN, both along k).")
  private String order;

  @Option(names = "--dtype", paramLabel = "f16|bf16", defaultValue = "bf16",
      description = "Type of A, B and C (default: bf16).")
  private String dtype;

  @Option(names = "--most", paramLabel = "N", defaultValue = "8",
      description = "Tiles to try of each shape, those first that should be fastest (default: 8).")
  private int most;

  @Option(names = "--compare", paramLabel = "peers", description = "Time cuBLAS in turns with the tiles.")
  private Optional<BenchCommand.Peers> compare = Optional.empty();

  @Option(names = "--python", paramLabel = "PYTHON", defaultValue = "python3",
      description = "The Python of the peers, with PyTorch (default: python3).")
  private String python;

  @Option(names = "--out", paramLabel = "FILE",
      description = "Write the times as JSON, as docs/benchmarks/gemm keeps them, shape by shape.")
  private Optional<Path> out = Optional.empty();

  @Mixin
  private SweepOptions sweep = new SweepOptions();

  public TuneCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
    this.kernel = (TiledGemmKernel) registry.find(TunedTiles.KERNEL).orElseThrow();
  }

  /**
   * A shape's fastest tile beside the one that was expected to be.
   *
   * @param peers milliseconds of others' kernels
   * @param times microseconds of all tiles that were tried
   */
  record Row(String problem, String tile, double ms, double tflops, String expected, double gain,
      Map<String, Double> peers, Map<String, Double> times) {
    Row {
      Objects.requireNonNull(problem);
      Objects.requireNonNull(tile);
      Objects.requireNonNull(expected);
    }
  }

  @Override
  public Integer call() {
    if (name.map(n -> n.replace('-', '_')).filter(n -> !n.equals(TunedTiles.KERNEL)).isPresent()) {
      return tuneFamily(FamilyTuning.of(registry, name.get(), settings));
    }
    if (!settings.isEmpty()) throw CommandFailure.badInput("--set is of a KERNEL; the GEMM has --shape, --draw, "
        + "--order, --dtype and --most");
    return tuneGemm();
  }

  private int tuneFamily(FamilyTuning tuning) {
    try {
      var rows = sweep.isGiven() ? shard(tuning) : tuning.measure(console);
      for (var row : rows) if (console.json()) console.result(row, "");
      if (!console.json()) console.text(FamilyTuning.table(rows));
      return Exit.OK;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private static DividedCommand command(List<String> arguments) {
    return new DividedCommand(TuneReport.COMMAND, SourceCommit.find(), arguments);
  }

  private List<FamilyTuning.Row> shard(FamilyTuning tuning) {
    try (var rows = tuning.open(console)) {
      var measured = MeasuredShard.run(command(tuning.arguments()), rows, FamilyTuning.Row.class, sweep, _ -> {},
          console);
      console.progressDone();
      return FamilyTuning.rankedRows(measured);
    }
  }

  private int tuneGemm() {
    var problems = new LinkedHashMap<String, GemmProblem>();
    shapes.of(order).stream().map(this::problem).forEach(problem -> problems.put(TunedTiles.key(problem), problem));
    if (most < 1) throw CommandFailure.badInput("invalid --most " + most + ": needed is an integer from 1 on");
    out.ifPresent(AtomicFile::requireWritable);
    try (var tuning = new GemmRows(GemmTuning.open(kernel, compare.map(_ -> python), console::note), problems)) {
      var soFar = new ArrayList<TileTimes.Row>();
      var rows = MeasuredShard.run(command(arguments()), tuning, Row.class, sweep, row -> {
        if (console.json()) console.result(row, "");
        soFar.add(times(problems.get(row.problem), row));
        out.ifPresent(file -> AtomicFile.write(file, JsonMapper.shared().writeValueAsString(new TileTimes(
            LocalDate.now().toString(), tuning.device(), SourceCommit.find(), arguments(), soFar))));
      }, console);
      console.progressDone();
      if (!console.json()) console.text(table(rows));
      console.note("kept in " + TunedTiles.file(UserCache.folder(), tuning.device()));
      return Exit.OK;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    }
  }

  /** Measures one shape after the other, and keeps the fastest tile of each for this machine. */
  private final class GemmRows implements RowMeasurement<Row> {
    private final GemmTuning tuning;
    private final SequencedMap<String, GemmProblem> problems;

    private GemmRows(GemmTuning tuning, SequencedMap<String, GemmProblem> problems) {
      this.tuning = tuning;
      this.problems = problems;
    }

    @Override
    public String device() {
      return tuning.gpu();
    }

    @Override
    public List<String> keys() {
      return List.copyOf(problems.keySet());
    }

    @Override
    public Row measure(String key) {
      console.progress("tuning " + key);
      var problem = problems.get(key);
      var row = row(problem, tuning.measure(problem, order, most));
      // Read again, as another tune may have added to it since.
      TunedTiles.of(UserCache.folder(), tuning.gpu(), console).with(problem, row.tile).save();
      return row;
    }

    @Override
    public void close() {
      tuning.close();
    }
  }

  static String table(List<Row> rows) {
    boolean compared = rows.stream().anyMatch(row -> !row.peers.isEmpty());
    var heads = Stream.of("problem", "tile", "ms", "TFLOP/s", "expected", "gain");
    var text = new TextTable(Stream.concat(heads, compared ? Stream.of("peers", "expected/best peer") : Stream.of())
        .toArray(String[]::new));
    for (var row : rows) {
      var cells = Stream.of(row.problem, row.tile, "%.4f".formatted(row.ms), "%.1f".formatted(row.tflops),
          row.expected, "%.3f".formatted(row.gain));
      text.add(Stream.concat(cells, compared ? beside(row) : Stream.of()).toArray(String[]::new));
    }
    return text.toString();
  }

  /** The peers' milliseconds, and how fast the tile that is chosen without tuning is beside the best of them. */
  private static Stream<String> beside(Row row) {
    var all = row.peers.entrySet().stream().sorted(Map.Entry.comparingByKey())
        .map(peer -> peer.getKey() + " %.4f".formatted(peer.getValue())).collect(Collectors.joining(", "));
    var best = row.peers.values().stream().min(Double::compare);
    return Stream.of(all, best.map(ms -> "%.3f".formatted(ms / (row.ms * row.gain))).orElse("-"));
  }

  /** The command line of the GEMM's tuning, always the same one for the same rows. */
  private List<String> arguments() {
    var others = Stream.of("--order", order, "--dtype", dtype, "--most", "" + most);
    return Stream.of(shapes.arguments(order).stream(), others,
        compare.stream().flatMap(_ -> Stream.of("--compare", "peers"))).flatMap(part -> part).toList();
  }

  private GemmProblem problem(String shape) {
    if (!shape.matches(SHAPE)) {
      throw CommandFailure.badInput("invalid --shape " + shape + ": needed is MxNxK, such as 16x4096x4096");
    }
    var type = Stream.of(ElementType.F16, ElementType.BF16).filter(t -> t.text().equals(dtype)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("invalid --dtype " + dtype + ": f16 or bf16"));
    var extents = Stream.of(shape.split("x")).mapToInt(Integer::parseInt).toArray();
    try {
      var problem = GemmProblem.packed(type, type, extents[0], extents[1], extents[2], 1, order);
      kernel.prepare(problem, kernel.tiles(problem).getFirst());
      return problem;
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private Row row(GemmProblem p, GemmTuning.Measured measured) {
    var timed = measured.tiles();
    var best = timed.getFirst();
    var expected = kernel.tiles(p).getFirst();
    double before = timed.stream().filter(t -> t.tile().equals(expected)).findFirst().orElseThrow().ms();
    var times = new LinkedHashMap<String, Double>();
    timed.forEach(t -> times.put(t.tile(), Math.round(t.ms() * NANOSECONDS) / 1e3));
    return new Row(TunedTiles.key(p), best.tile(), best.ms(), 2e-9 * p.m() * p.n() * p.k() / best.ms(), expected,
        before / best.ms(), measured.peers(), times);
  }

  private TileTimes.Row times(GemmProblem p, Row row) {
    return new TileTimes.Row(p.m(), p.n(), p.k(), order, dtype, row.peers, row.expected, row.times);
  }
}
