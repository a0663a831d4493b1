package tilewright.verification.backend;

import java.util.List;
import java.util.Optional;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.ptx.Launch;

/** The first GPU of this machine, if there is one; its guard regions stand in for the sanitizer. */
public final class GpuBackend implements Backend {
  private final Optional<Gpu> gpu;
  private final String missing;

  private GpuBackend(Optional<Gpu> gpu, String missing) {
    this.gpu = gpu;
    this.missing = missing;
  }

  public static GpuBackend open() {
    return switch (Gpu.probe()) {
      case GpuProbe.Available _ -> new GpuBackend(Optional.of(Gpu.open(0)), "");
      case GpuProbe.Missing(var reason) -> new GpuBackend(Optional.empty(), reason);
    };
  }

  @Override
  public String name() {
    return "gpu";
  }

  @Override
  public Optional<String> refuses(String arch) {
    if (gpu.isEmpty()) return Optional.of(missing);
    return Architectures.refusal(arch, gpu.get().properties().capability(), "this GPU");
  }

  @Override
  public Outcome run(Launch launch) {
    var device = gpu.orElseThrow();
    return new Outcome(device.run(launch), device.properties().capability(), List.of());
  }

  @Override
  public void close() {
    gpu.ifPresent(Gpu::close);
  }
}
