package tilewright.cli.verify;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.io.TextTable;
import tilewright.device.MachineReport;
import tilewright.device.assembly.AssemblerFacts;
import tilewright.device.driver.GpuProbe;
import tilewright.device.driver.GpuProperties;
import tilewright.kernels.VectorAdd;
import tilewright.ops.collectives.NcclProbe;
import tilewright.ptx.PtxModule;
import tilewright.simulator.Simulator;
import tilewright.simulator.UnsupportedPtxException;
import tilewright.sm100.PackedVectorAdd;
import tilewright.sm90.BulkVectorAdd;

/** {@code tilewright doctor}: what this machine has and lacks. */
@Command(name = "doctor", description = "Say what this machine has and lacks for Tilewright.")
public final class DoctorCommand implements Callable<Integer> {
  /** Elements of the additions that stand for an architecture's kernels. */
  private static final int SAMPLE = 1024;

  private final Console console;

  public DoctorCommand(Console console) {
    this.console = console;
  }

  /**
   * One thing looked for.
   *
   * @param detail what was found, or what its lack means and what to do
   */
  record Fact(String item, boolean found, String detail) {}

  @Override
  public Integer call() {
    var table = new TextTable("found", "item", "");
    for (var fact : facts()) {
      if (console.json()) console.result(fact, "");
      table.add(fact.found ? "yes" : "no", fact.item, fact.detail);
    }
    console.table(table);
    return Exit.OK;
  }

  /** Lists the parts of this machine that Tilewright uses, present or missing. */
  static List<Fact> facts() {
    var machine = MachineReport.inspect();
    var facts = new ArrayList<Fact>();
    facts.add(new Fact("Java", true, System.getProperty("java.vm.vendor") + " " + Runtime.version() + " in "
        + System.getProperty("java.home")));
    facts.add(new Fact("processor", true, Runtime.getRuntime().availableProcessors() + " cores ("
        + System.getProperty("os.arch") + "), " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB for Java"));
    facts.add(onPath("mvn").map(mvn -> new Fact("Maven", true, mvn.toString()))
        .orElse(new Fact("Maven", false, "needed to build from sources only (Debian: apt-get install maven)")));
    facts.addAll(gpus(machine.gpu()));
    if (machine.gpu() instanceof GpuProbe.Available(_, var devices) && devices.size() > 1) facts.add(nccl());
    facts.addAll(assemblers(machine.assemblers()));
    var samples = List.of(VectorAdd.prepare(SAMPLE), BulkVectorAdd.prepare(SAMPLE), PackedVectorAdd.prepare(SAMPLE));
    for (var sample : samples) facts.add(target(sample.kernel().module(), machine));
    var assembled = machine.assemblers().stream().flatMap(a -> a.targets().stream()).distinct().toList();
    facts.add(new Fact("tried on GPUs", true, TriedTargets.of(assembled)));
    return facts;
  }

  private static List<Fact> gpus(GpuProbe probe) {
    return switch (probe) {
      case GpuProbe.Missing(var reason) ->
          List.of(new Fact("GPU", false, reason + ": kernels run in the simulator only"));
      case GpuProbe.Available(var driver, var devices) -> Stream.concat(
          Stream.of(new Fact("NVIDIA driver", true, "for CUDA up to " + driver)),
          devices.stream().map(DoctorCommand::gpu)).toList();
    };
  }

  private static Fact nccl() {
    return switch (NcclProbe.ofThisMachine()) {
      case NcclProbe.Available(var library, var version) -> new Fact("NCCL", true, version + ", " + library);
      case NcclProbe.Missing(var reason) -> new Fact("NCCL", false, "GPUs compute alone: " + reason);
    };
  }

  private static Fact gpu(GpuProperties gpu) {
    return new Fact("GPU " + gpu.index(), true, "%s, compute capability %s, %d MiB, %d multiprocessors%s".formatted(
        gpu.name(), gpu.computeCapability(), gpu.memoryBytes() >> 20, gpu.multiprocessors(),
        TriedTargets.isTried(gpu.capability()) ? "" : "; kernels were never tried on such a GPU"));
  }

  private static List<Fact> assemblers(List<AssemblerFacts> found) {
    var facts = new ArrayList<Fact>();
    if (found.stream().noneMatch(assembler -> assembler.name().equals("ptxas"))) {
      facts.add(new Fact("ptxas", false, "not on the PATH: targets that JCuda's assembler lacks cannot be assembled"));
    }
    found.forEach(assembler -> facts.add(new Fact(assembler.name(), true, "CUDA %s, PTX up to %s, %s"
        .formatted(assembler.version(), assembler.newestPtx(), assembler.location()))));
    return facts;
  }

  /** Lists the assemblers, GPUs and simulator that take a kernel's target; the simulator is tried on the kernel. */
  private static Fact target(PtxModule kernel, MachineReport machine) {
    var target = kernel.target();
    var assemblers = machine.assemblers().stream().filter(a -> a.takes(target, kernel.version()))
        .map(AssemblerFacts::name).toList();
    var runners = new ArrayList<String>();
    if (machine.gpu() instanceof GpuProbe.Available(_, var devices)) {
      devices.stream().filter(gpu -> runs(gpu, target)).forEach(gpu -> runners.add("GPU " + gpu.index()));
    }
    if (simulated(kernel)) runners.add("the simulator");
    return new Fact("target " + target, !runners.isEmpty(),
        "assembled by " + list(assemblers) + "; run by " + list(runners));
  }

  private static String list(List<String> names) {
    return names.isEmpty() ? "nothing here" : String.join(", ", names);
  }

  private static boolean simulated(PtxModule kernel) {
    try {
      Simulator.load(kernel);
      return true;
    } catch (UnsupportedPtxException _) {
      return false;
    }
  }

  /** Targets with an "a" are bound to their architecture; the others run on all later ones (PTX ISA, .target). */
  private static boolean runs(GpuProperties gpu, String target) {
    var capability = Integer.parseInt(target.replaceAll("\\D", ""));
    return target.endsWith("a") ? gpu.capability() == capability : gpu.capability() >= capability;
  }

  private static Optional<Path> onPath(String program) {
    return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":"))
        .filter(folder -> !folder.isEmpty()).map(folder -> Path.of(folder, program)).filter(Files::isExecutable)
        .findFirst();
  }
}
