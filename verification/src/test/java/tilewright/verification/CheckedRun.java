package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import tilewright.kernel.PreparedLaunch;
import tilewright.ptx.Launch;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.Case;

/** Launches under the sanitizer whose results have to be those of a case, bit for bit. */
final class CheckedRun {
  private static final int HOPPER = 90;

  private CheckedRun() {}

  /** The launch as it was run, with what it has written. */
  static Launch bitExact(PreparedLaunch launch, Case given, long seed) {
    var run = launch.on(given.inputs().get());
    var result = Simulator.load(launch.kernel().module())
        .run(run, SimulatorOptions.defaults().withSanitizer(true).withSeed(seed));
    assertEquals(List.of(), result.findings());
    var verdict = given.check().compare(run.buffers(), run.buffers(), HOPPER);
    assertEquals(Optional.of(true), verdict.bitExact(), verdict.toString());
    return run;
  }
}
