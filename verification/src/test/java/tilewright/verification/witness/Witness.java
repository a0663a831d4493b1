package tilewright.verification.witness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.ptx.Launch;
import tilewright.simulator.Finding;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/**
 * A launch of a witness kernel with results that were computed otherwise.
 *
 * @param launch as it is before it runs; every run gets a copy
 * @param expected what buffers must then hold, bit for bit
 */
record Witness(Launch launch, Map<String, MemorySegment> expected) {

  /** What nvcc made of {@code NAME.cu}. */
  static String ptx(String name) {
    return text(name + ".ptx");
  }

  static String text(String file) {
    try (var in = Witness.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Launch copy() {
    var buffers = launch.buffers().entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
        e -> MemorySegment.ofArray(e.getValue().toArray(ValueLayout.JAVA_BYTE))));
    return new Launch(launch.ptx(), launch.entry(), launch.grid(), launch.block(), launch.cluster(),
        launch.dynamicSharedBytes(), buffers, launch.arguments());
  }

  private void check(Launch run, String how) {
    expected.forEach((buffer, bytes) -> {
      long first = bytes.mismatch(run.buffers().get(buffer));
      assertEquals(-1, first, launch.entry() + ", " + how + ": byte of " + buffer + " that differs first");
    });
  }

  /** In the simulator: clean under the sanitizer, and right, whatever the schedule. */
  void underSeeds(int seeds) {
    var program = Simulator.load(launch.ptx());
    for (long seed = 0; seed < seeds; seed++) {
      var run = copy();
      var how = "seed " + seed;
      var options = SimulatorOptions.defaults().withSanitizer(true).withSeed(seed);
      assertEquals(List.of(), program.run(run, options).findings(), how);
      check(run, how);
    }
  }

  /** What the sanitizer finds when every occurrence of a piece of the kernel's text is replaced. */
  List<Finding> without(String piece, String replacement, long seed) {
    var run = copy();
    if (!run.ptx().contains(piece)) throw new AssertionError("no " + piece + " in " + run.entry());
    var options = SimulatorOptions.defaults().withSanitizer(true).withSeed(seed);
    return Simulator.load(run.ptx().replace(piece, replacement)).run(run, options).findings();
  }

  /** On a GPU of that very compute capability times ten, if there is one. */
  void onGpu(int capability) {
    if (Gpu.probe() instanceof GpuProbe.Missing(var reason)) assumeTrue(false, reason);
    try (var gpu = Gpu.open(0)) {
      int here = gpu.properties().capability();
      assumeTrue(here == capability, "needs sm" + capability + ", this GPU is sm" + here);
      var run = copy();
      gpu.run(run);
      check(run, "on the GPU");
    }
  }

  /** The expected bytes are those whose SHA-256 an H200 left under {@code NAME/BUFFER}. */
  void wasRecorded(String name) {
    expected.forEach((buffer, bytes) -> {
      var line = name + "/" + buffer + " " + digest(bytes.toArray(ValueLayout.JAVA_BYTE));
      assertTrue(text("recorded.h200.txt").lines().anyMatch(line::equals), () -> "no line " + line);
    });
  }

  private static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
