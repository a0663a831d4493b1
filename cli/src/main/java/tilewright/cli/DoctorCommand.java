package tilewright.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import tilewright.device.Gpu;
import tilewright.device.GpuProbe;

/** {@code tilewright doctor}: what this machine has and lacks. */
@Command(name = "doctor", description = "Say what this machine has and lacks for Tilewright.")
final class DoctorCommand implements Callable<Integer> {
  private final Console console;

  DoctorCommand(Console console) {
    this.console = console;
  }

  /**
   * One thing looked for.
   *
   * @param detail what was found, or what its lack means and what to do
   */
  record Fact(String item, boolean found, String detail) {
    String toText() {
      return "%-4s %-14s %s".formatted(found ? "yes" : "no", item, detail);
    }
  }

  @Override
  public Integer call() {
    facts().forEach(fact -> console.result(fact, fact.toText()));
    return Exit.OK;
  }

  /** What this machine has and lacks, as far as Tilewright cares. */
  static List<Fact> facts() {
    var facts = new ArrayList<Fact>();
    facts.add(new Fact("Java", true, System.getProperty("java.vm.vendor") + " " + Runtime.version() + " in "
        + System.getProperty("java.home")));
    facts.add(new Fact("processor", true, Runtime.getRuntime().availableProcessors() + " cores ("
        + System.getProperty("os.arch") + "), " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB for Java"));
    facts.add(onPath("mvn").map(mvn -> new Fact("Maven", true, mvn.toString()))
        .orElse(new Fact("Maven", false, "needed to build from sources, not in a bundle (Debian: apt-get install maven)")));
    switch (Gpu.probe()) {
      case GpuProbe.Missing(var reason) -> facts.add(new Fact("GPU", false, reason + ": kernels run in the simulator only"));
      case GpuProbe.Available(var driver, var devices) -> {
        facts.add(new Fact("NVIDIA driver", true, "for CUDA up to " + driver));
        devices.forEach(gpu -> facts.add(new Fact("GPU " + gpu.index(), true, "%s, compute capability %s, %d MiB, %d SMs"
            .formatted(gpu.name(), gpu.computeCapability(), gpu.memoryBytes() >> 20, gpu.multiprocessors()))));
      }
    }
    return facts;
  }

  private static Optional<Path> onPath(String program) {
    return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":"))
        .filter(folder -> !folder.isEmpty()).map(folder -> Path.of(folder, program)).filter(Files::isExecutable).findFirst();
  }
}
