package tilewright.cli;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.ptx.PtxSyntaxException;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.simulator.UnsupportedPtxException;

/** {@code tilewright sim}: runs launches in the simulator. */
@Command(name = "sim", description = "Run launches in the simulator and compare with what they expect.")
final class SimCommand extends LaunchCommand {
  @Option(names = "--sanitize", description = "Also look for races, uninitialised reads and misuse of asynchronous copies.")
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
      var program = Simulator.load(file.launch().ptx());
      var result = program.run(file.launch(), SimulatorOptions.defaults().withSeed(seed).withSanitizer(sanitize));
      var mismatch = result.ok() ? file.mismatch() : Optional.<String>empty();
      return new LaunchRow(name, result.ok() && mismatch.isEmpty(), mismatch, List.copyOf(result.findings()),
          Optional.of(result.instructions()), result.time().toNanos() / 1e6, Optional.empty());
    } catch (PtxSyntaxException | UnsupportedPtxException | IllegalArgumentException e) {
      return LaunchRow.failed(name, e.getMessage());
    }
  }
}
