package tilewright.verification;

import java.util.Optional;
import tilewright.ptx.Launch;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** The simulator, sanitizer on, with the arithmetic of the PTX's own target. */
final class SimulatorBackend implements Backend {
  private final long seed;

  SimulatorBackend(long seed) {
    this.seed = seed;
  }

  @Override
  public String name() {
    return "sim";
  }

  @Override
  public Optional<String> refuses(String arch) {
    return Optional.empty();
  }

  @Override
  public Outcome run(Launch launch) {
    var program = Simulator.load(launch.ptx());
    var result = program.run(launch, SimulatorOptions.defaults().withSeed(seed).withSanitizer(true));
    var findings = result.findings().stream()
        .map(f -> f.kind() + " at line " + f.line() + (f.source().isEmpty() ? "" : " (" + f.source() + ")") + ": " + f.message()).toList();
    return new Outcome(result.time().toNanos() / 1e6, capability(launch), findings);
  }

  private static int capability(Launch launch) {
    var target = launch.ptx().lines().filter(line -> line.startsWith(".target")).findFirst().orElseThrow();
    return Integer.parseInt(target.replaceAll("\\D", ""));
  }

  @Override
  public void close() {}
}
