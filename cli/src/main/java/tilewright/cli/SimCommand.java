package tilewright.cli;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.ptx.PtxSyntaxException;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.UnsupportedPtxException;

/** {@code tilewright sim}: runs launches in the simulator. */
@Command(name = "sim", description = "Run launches in the simulator and compare with what they expect.")
final class SimCommand extends LaunchCommand {
  @Option(names = "--sanitize",
      description = "Also look for races, uninitialised reads and misuse of asynchronous copies.")
  private boolean sanitize;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
      description = "Choose another interleaving of warps; the same seed gives the same one (default: 0).")
  private long seed;

  SimCommand(Console console) {
    super(console);
  }

  @Override
  LaunchRow run(String name, LaunchFile file) {
    try {
      var options = SimulatorOptions.defaults().withSeed(seed).withSanitizer(sanitize);
      var result = Backend.simulate(file.launch(), options);
      // A launch that was stopped left its outputs unfinished; how they differ would only distract.
      return LaunchRow.of(name, result, result.findings().isEmpty() ? file.mismatch() : Optional.empty());
    } catch (PtxSyntaxException | UnsupportedPtxException | IllegalArgumentException e) {
      return LaunchRow.failed(name, name + ": " + e.getMessage());
    }
  }
}
