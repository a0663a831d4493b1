package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.tensormap.TensorMap;

/** CUDA C++ of the test resources, compiled by the nvcc of this machine; without one, tests are skipped. */
final class Cuda {
  private final Program program;

  /** An array that a kernel gets as a tensor map. */
  record Tensor(Object array, TensorMap map) {}

  private Cuda(Program program) {
    this.program = program;
  }

  /** The program of {@code cuda/NAME.cu}, for SM80 unless the options say otherwise. */
  static Cuda compile(String name, String... options) {
    var nvcc = nvcc();
    assumeTrue(nvcc.isPresent(), "no nvcc on the PATH: CUDA C++ tests are skipped");
    try {
      var folder = Files.createTempDirectory("cuda");
      var source = folder.resolve(name + ".cu");
      var ptx = folder.resolve(name + ".ptx");
      try (var in = Cuda.class.getResourceAsStream("cuda/" + name + ".cu")) {
        Files.copy(in, source);
      }
      var command = new ArrayList<>(List.of(nvcc.get().toString(), "-std=c++17", "-ptx", "-o", ptx.toString(),
          source.toString()));
      if (Stream.of(options).noneMatch(o -> o.startsWith("-arch"))) command.add("-arch=sm_80");
      command.addAll(List.of(options));
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      var messages = new String(process.getInputStream().readAllBytes());
      assertEquals(0, process.waitFor(), messages);
      return new Cuda(Simulator.load(Files.readString(ptx)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Optional<Path> nvcc() {
    var path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator)).map(folder -> Path.of(folder, "nvcc"))
        .filter(Files::isExecutable).findFirst();
  }

  /** Runs a kernel that must be clean; arrays become buffers, which it changes in place, numbers scalars. */
  void run(String entry, int grid, int block, Object... arguments) {
    run(entry, Dim3.of(grid), Dim3.of(block), 0, arguments);
  }

  void run(String entry, Dim3 grid, Dim3 block, int dynamicShared, Object... arguments) {
    assertEquals(List.of(), execute(entry, grid, block, dynamicShared, o -> o, arguments).findings());
  }

  SimulationResult execute(String entry, Dim3 grid, Dim3 block, int dynamicShared,
      UnaryOperator<SimulatorOptions> options, Object... arguments) {
    Map<String, MemorySegment> buffers = new LinkedHashMap<>();
    List<Launch.Argument> list = new ArrayList<>();
    for (var a : arguments) {
      switch (a) {
        case Integer i -> list.add(Launch.Argument.u32(i));
        case Float f -> list.add(Launch.Argument.f32(f));
        case Long l -> list.add(Launch.Argument.u64(l));
        case Tensor(var array, var map) -> {
          var buffer = new Launch.Argument.Buffer("arg" + list.size());
          buffers.put(buffer.name(), Kernels.segment(array));
          list.add(new Launch.Argument.TensorMapOf(buffer, map));
        }
        default -> {
          var name = "arg" + list.size();
          buffers.put(name, Kernels.segment(a));
          list.add(new Launch.Argument.Buffer(name));
        }
      }
    }
    var launch = new Launch("", entry, grid, block, Dim3.ONE, dynamicShared, buffers, list);
    return program.run(launch, options.apply(Kernels.SANITIZED));
  }
}
