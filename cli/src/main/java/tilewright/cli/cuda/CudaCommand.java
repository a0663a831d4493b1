package tilewright.cli.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.InputFile;
import tilewright.cli.launch.ProfileText;
import tilewright.cli.launch.ScheduleOptions;
import tilewright.device.cubin.UserCache;
import tilewright.kernel.Chip;
import tilewright.simulator.SimulatorOptions;

/** {@code tilewright cuda}: runs a CUDA program with the simulator as its GPU. */
@Command(name = "cuda",
    description = "Run a CUDA program with the simulator as its GPU, and look for its kernels' bugs.")
@Examples({"cuda ./vector_add", "cuda vector_add.cu", "cuda --chip b200 gemm.cu -- -O3 -Iinclude -- 512 512 64"})
public final class CudaCommand implements Callable<Integer> {
  private static final String SEPARATOR = "--";
  /** The recorder's sources, which are one file for its users. */
  private static final List<String> RECORDER = List.of("recorder.c", "recorder_runtime.c", "recorder_driver.c");

  private final Console console;

  @Parameters(arity = "0..*", paramLabel = "PROGRAM|FILE.cu [ARGUMENTS]",
      description = "A Linux program that was linked with the shared CUDA runtime (nvcc -cudart shared) and its "
          + "arguments; or a source file, which nvcc compiles first: FILE.cu [-- NVCC-OPTIONS] [-- ARGUMENTS].")
  private List<String> words = List.of();

  @Option(names = "--chip", paramLabel = "NAME", defaultValue = "h100",
      description = "The GPU to stand for: a100, rtx3090, rtx4090, h100, h200, b200, b300 or rtx5090 (default: h100).")
  private String chip;

  @Option(names = "--devices", paramLabel = "N", defaultValue = "1",
      description = "The number of these GPUs that the program sees, which reach each other's memory (default: 1).")
  private int devices;

  @Option(names = "--sanitize",
      description = "Look for races, uninitialised reads and misuse of asynchronous copies (the default).")
  private boolean sanitize;

  @Option(names = "--no-sanitize",
      description = "Do not look for them: several times faster. Bounds are still checked.")
  private boolean plain;

  @Option(names = "--only", paramLabel = "KERNEL",
      description = "Watch, profile and record only the kernels whose (mangled) name contains KERNEL.")
  private Optional<String> only;

  @Option(names = "--profile", description = "Count instructions, bytes, bank conflicts and sectors of each kernel's "
      + "first launch, show its occupancy, and tell them at the end.")
  private boolean profile;

  @Option(names = "--record", paramLabel = "DIR",
      description = "Write each launch with its buffers and results below DIR, for 'sim DIR' to run again.")
  private Optional<Path> record;

  @Option(names = "--recorder", paramLabel = "FILE.c",
      description = "Write the source of a library that records launches beside a real GPU, and run nothing.")
  private Optional<Path> recorder;

  @Option(names = "--recorded", paramLabel = "DIR",
      description = "Turn what that library wrote to DIR into launches for 'sim', below the folder of --record.")
  private Optional<Path> recorded;

  @Mixin
  private ScheduleOptions schedule;

  public CudaCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (sanitize && plain) throw CommandFailure.badInput("--sanitize and --no-sanitize exclude each other");
    schedule.check();
    only.filter(String::isBlank).ifPresent(_ -> {
      throw CommandFailure.badInput("--only is empty; needed is a part of a kernel's name");
    });
    if (devices < 1 || devices > SimulatedDevice.MOST_DEVICES) {
      throw CommandFailure.badInput("--devices is " + devices + "; needed is a number from 1 to "
          + SimulatedDevice.MOST_DEVICES);
    }
    var device = SimulatedDevice.of(chosen()).times(devices);
    if (recorder.isPresent() || recorded.isPresent()) return ofGpu(device);
    if (words.isEmpty()) throw CommandFailure.badInput("there is no PROGRAM or FILE.cu to run");
    var report = new Report(console);
    var program = Path.of(words.getFirst());
    if (!Files.isRegularFile(program)) throw CommandFailure.badFile(program, "there is no such file");
    record.ifPresent(CudaCommand::requireNew);
    var library = RuntimeLibrary.folder(UserCache.folder());
    var host = new HostProgram(device, new Watching(options(), only, record), report, library);
    int status = isSource(program) ? compileAndRun(program, device, library, host) : run(host, program, arguments(1));
    report.unsuitable().ifPresent(why -> {
      throw CommandFailure.badFile(program, why);
    });
    var row = report.row(program.toString(), status);
    if (console.json()) console.result(row, "");
    else row.kernels().forEach(this::tell);
    console.note(report.summary(!plain) + (status == 0 ? "" : "; the program's exit status is " + status));
    boolean missed = only.isPresent() && !report.hasWatched();
    if (missed) console.note("no kernel was launched whose name contains '" + only.get() + "'");
    return status == 0 && report.clean() && !missed ? Exit.OK : Exit.CHECK_FAILED;
  }

  /** Writes the recorder's source, or turns its records into launches. */
  private int ofGpu(SimulatedDevice device) {
    if (!words.isEmpty()) throw CommandFailure.badInput("--recorder and --recorded run no program: leave it out");
    if (recorder.isPresent() == recorded.isPresent()) {
      throw CommandFailure.badInput("--recorder and --recorded exclude each other");
    }
    if (recorded.isPresent() != record.isPresent()) {
      throw CommandFailure.badInput("--recorded needs --record, and --recorder needs none");
    }
    recorder.ifPresent(file -> {
      AtomicFile.write(file, RECORDER.stream().map(RuntimeLibrary::resource).collect(Collectors.joining("\n")));
      console.note("written to " + file + "; beside a GPU: cc -shared -fPIC -O2 -o librecorder.so " + file.getFileName()
          + " -ldl -lpthread, then TILEWRIGHT_RECORD=DIR LD_PRELOAD=$PWD/librecorder.so PROGRAM");
    });
    recorded.ifPresent(folder -> {
      requireNew(record.orElseThrow());
      int launches = GpuRecord.convert(folder, record.orElseThrow(), device.chip().capability());
      console.note(launches + (launches == 1 ? " launch" : " launches") + " written below " + record.orElseThrow());
    });
    return Exit.OK;
  }

  private void tell(KernelProfiles.Counted kernel) {
    console.note(kernel.describe());
    kernel.profile().ifPresent(p -> ProfileText.of(p).lines().forEach(line -> console.note("  " + line)));
  }

  private Chip chosen() {
    return Arrays.stream(Chip.values()).filter(c -> c.text().equals(chip)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("--chip is " + chip + "; needed is one of "
            + Arrays.stream(Chip.values()).map(Chip::text).collect(Collectors.joining(", "))));
  }

  private SimulatorOptions options() {
    return schedule.applyTo(SimulatorOptions.defaults()).withSanitizer(!plain).withProfile(profile);
  }

  /** Records of different runs would mix. */
  private static void requireNew(Path folder) {
    try {
      Files.createDirectories(folder);
      try (var files = Files.list(folder)) {
        if (files.findAny().isEmpty()) return;
      }
    } catch (IOException e) {
      throw CommandFailure.badFile(folder, "cannot be a folder to record to: " + InputFile.reason(e));
    }
    throw CommandFailure.badFile(folder, "holds files already: --record needs a new or empty folder");
  }

  private static boolean isSource(Path program) {
    return program.toString().endsWith(".cu");
  }

  private List<String> arguments(int from) {
    return words.subList(Math.min(from, words.size()), words.size());
  }

  /** Runs a program whose output is this process's; with {@code --json}, standard output is for the result alone. */
  private int run(HostProgram host, Path program, List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(program.toAbsolutePath().toString());
    command.addAll(arguments);
    console.out().flush();
    var process = new ProcessBuilder(command).inheritIO();
    if (console.json()) process.redirectOutput(Path.of("/dev/stderr").toFile());
    return host.run(process);
  }

  private int compileAndRun(Path source, SimulatedDevice device, Path library, HostProgram host) {
    var rest = arguments(1);
    if (!rest.isEmpty() && !rest.getFirst().equals(SEPARATOR)) {
      throw CommandFailure.badInput("'" + rest.getFirst() + "' follows " + source
          + "; put -- before options of nvcc, and another -- before arguments of the program");
    }
    var behind = rest.subList(Math.min(1, rest.size()), rest.size());
    int second = behind.indexOf(SEPARATOR);
    var nvccOptions = second < 0 ? behind : behind.subList(0, second);
    var arguments = second < 0 ? List.<String>of() : behind.subList(second + 1, behind.size());
    try {
      var folder = Files.createTempDirectory("tilewright-nvcc");
      var program = folder.resolve("program");
      try {
        var warnings = Nvcc.compile(source, program, device, library, nvccOptions);
        if (!warnings.isEmpty()) console.note("nvcc: " + warnings);
        return run(host, program, arguments);
      } finally {
        Files.deleteIfExists(program);
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw CommandFailure.environmentLacks("no temporary folder: " + e.getMessage());
    }
  }
}
