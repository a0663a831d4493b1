package tilewright.cli.launch;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.ptx.LaunchGroup;
import tilewright.ptx.PtxSyntaxException;
import tilewright.simulator.Fp4Model;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.UnsupportedPtxException;

/** {@code tilewright sim}: runs launches in the simulator. */
@Command(name = "sim", description = "Run launches in the simulator and compare with what they expect.")
@Examples({"sim launch.json", "sim launches --sanitize --threads 1", "sim launch.json --trace trace.json",
    "sim launch.json --explore --save-schedule bad.txt"})
public final class SimCommand extends LaunchCommand {
  private static final long MOST_MEBIBYTES = Long.MAX_VALUE >> 20;
  /** The largest launches that the sanitizer watches unasked: it takes several times the time, ten times the memory. */
  private static final long MOST_THREADS = 1 << 16;
  private static final long MOST_BUFFERS = 16;
  private static final Map<String, Fp4Model> FP4_MODELS =
      Map.of("sf-tensor", Fp4Model.SF_TENSOR, "mma-sim", Fp4Model.MMA_SIM);

  @Option(names = "--sanitize",
      description = "Also look for races, uninitialised reads, invalid shuffles and misuse of asynchronous copies "
          + "(default: for launches of at most " + MOST_THREADS + " threads and " + MOST_BUFFERS
          + " MiB of buffers).")
  private boolean sanitize;

  @Option(names = "--no-sanitize", description = "Do not look for them.")
  private boolean plain;

  @Option(names = "--profile", description = "Count instructions, bytes, bank conflicts and sectors; show occupancy.")
  private boolean profile;

  @Option(names = "--profile-page", paramLabel = "FILE.html", description = "Write the profiles as a page.")
  private Optional<Path> page;

  @Option(names = "--trace", paramLabel = "FILE.json",
      description = "Write when warps run and wait, as a trace that Perfetto opens.")
  private Optional<Path> trace;

  @Option(names = "--fp4-model", paramLabel = "MODEL", defaultValue = "sf-tensor",
      description = "How sm_100 adds up block-scaled products: sf-tensor or mma-sim, two published models that differ "
          + "in rare cases; both are unverified here (default: sf-tensor).")
  private String fp4Model;

  @Option(names = "--limit-memory", paramLabel = "MIB",
      description = "Do not begin a launch that needs more than MIB mebibytes (default: what the JVM may take).")
  private Optional<Long> mebibytes;

  @Mixin
  private ScheduleOptions schedule;

  @Mixin
  private ExploreOptions explore;

  public SimCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    schedule.check();
    explore.check();
    mebibytes.filter(m -> m < 1 || m > MOST_MEBIBYTES).ifPresent(m -> {
      throw CommandFailure.badInput("--limit-memory is " + m + "; needed is 1 to " + MOST_MEBIBYTES);
    });
    if (!FP4_MODELS.containsKey(fp4Model)) {
      throw CommandFailure.badInput("--fp4-model is " + fp4Model + "; needed is sf-tensor or mma-sim");
    }
    if (explore.used() && (plain || profile || page.isPresent() || trace.isPresent())) {
      throw CommandFailure.badInput("--explore and --schedule run with the sanitizer and without a profile: leave "
          + "--no-sanitize, --profile, --profile-page and --trace out");
    }
    if (sanitize && plain) throw CommandFailure.badInput("--sanitize and --no-sanitize exclude each other");
    page.ifPresent(AtomicFile::requireWritable);
    trace.ifPresent(AtomicFile::requireWritable);
    return super.call();
  }

  @Override
  MemoryLimit memoryLimit() {
    return mebibytes.map(MemoryLimit::ofOption).orElseGet(super::memoryLimit);
  }

  @Override
  LaunchRow run(String name, LaunchFile file) {
    try {
      if (explore.used()) return explore.run(name, file, options(file), console());
      var result = simulate(file);
      // A launch that was stopped left its outputs unfinished; how they differ would only distract.
      return LaunchRow.of(name, result, result.findings().isEmpty() ? file.mismatch() : Optional.empty())
          .sanitized(sanitizes(file));
    } catch (UnsupportedPtxException e) {
      return LaunchRow.refused(name, name + ": " + file.ptx() + ", " + firstOf(e.problems()));
    } catch (PtxSyntaxException e) {
      return LaunchRow.refused(name, name + ": " + file.ptx() + ", " + e.getMessage());
    } catch (IllegalArgumentException e) {
      return LaunchRow.refused(name, name + ": " + e.getMessage());
    }
  }

  private Backend.Result simulate(LaunchFile file) {
    return switch (file.work()) {
      case LaunchFile.Work.One(var launch) -> Backend.simulate(launch, options(file));
      case LaunchFile.Work.Several(var group) -> {
        if (profile || page.isPresent() || trace.isPresent()) {
          throw new IllegalArgumentException("launches of several devices at once are run without a profile: leave "
              + "--profile, --profile-page and --trace out");
        }
        yield Backend.simulate(group, options(file));
      }
    };
  }

  private boolean sanitizes(LaunchFile file) {
    if (sanitize || plain) return sanitize;
    long bytes = file.buffers().values().stream().mapToLong(MemorySegment::byteSize).sum();
    return threads(file) <= MOST_THREADS && bytes <= MOST_BUFFERS << 20;
  }

  private static long threads(LaunchFile file) {
    var launches = switch (file.work()) {
      case LaunchFile.Work.One(var launch) -> List.of(launch);
      case LaunchFile.Work.Several(var group) -> group.members().stream().map(LaunchGroup.Member::launch).toList();
    };
    return launches.stream().mapToLong(launch -> launch.grid().size() * launch.block().size()).sum();
  }

  private SimulatorOptions options(LaunchFile file) {
    boolean watch = profile || page.isPresent() || trace.isPresent();
    var options = schedule.applyTo(SimulatorOptions.defaults())
        .withSanitizer(sanitizes(file)).withProfile(watch).withFp4Model(FP4_MODELS.get(fp4Model))
        .withMemoryLimit(memoryLimit().bytes())
        .withUninitialized(file.uninitialised()).withCoordinates(file.elements())
        .withOutput(console()::kernelText);
    return file.architecture().isPresent() ? options.withArchitecture(file.architecture().getAsInt()) : options;
  }

  private static String firstOf(List<UnsupportedPtxException.Problem> problems) {
    var p = problems.getFirst();
    int more = problems.size() - 1;
    return "line " + p.line() + ": " + p.text().strip() + ": " + p.reason()
        + (more == 0 ? "" : "; and " + more + (more == 1 ? " more statement" : " more statements"));
  }

  @Override
  LaunchRow shown(LaunchRow row) {
    return profile ? row : row.withoutProfile();
  }

  @Override
  void finish(List<LaunchRow> rows) {
    page.ifPresent(file -> AtomicFile.write(file, ProfilePage.of(rows)));
    trace.ifPresent(file -> TraceFile.write(file, rows));
  }
}
