package tilewright.cli.launch;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.cli.io.Console;
import tilewright.device.Gpu;

/** {@code tilewright gpu}: runs launches on an NVIDIA GPU. */
@Command(name = "gpu", description = "Run launches on an NVIDIA GPU and compare with what they expect.")
public final class GpuCommand extends LaunchCommand {
  @Option(names = "--record", description = "Write the buffers that a launch changes as its expectation.")
  private boolean record;

  private Gpu gpu;

  public GpuCommand(Console console) {
    super(console);
  }

  @Override
  public Integer call() {
    try (var opened = Backend.openGpu()) {
      gpu = opened;
      return super.call();
    }
  }

  @Override
  LaunchRow run(String name, LaunchFile file) {
    var before = file.snapshot();
    var result = Backend.runOn(gpu, file.launch());
    if (!result.findings().isEmpty()) return LaunchRow.of(name, result, Optional.empty());
    if (!record) return LaunchRow.of(name, result, file.mismatch());
    LaunchFileWriter.recordExpected(file, changed(file, before), gpu.properties().capability());
    return LaunchRow.of(name, result, Optional.empty());
  }

  private static List<String> changed(LaunchFile file, Map<String, byte[]> before) {
    return before.entrySet().stream().filter(e -> !Arrays.equals(e.getValue(), file.launch().bytes(e.getKey())))
        .map(Map.Entry::getKey).sorted().toList();
  }
}
