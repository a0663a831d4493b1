package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.io.Console;
import tilewright.kernel.Chip;
import tilewright.simulator.SimulatorOptions;

/** Compiles CUDA programs and runs them; skipped where there is no nvcc. */
class CudaProgramsTest {
  @TempDir
  Path folder;

  /** A program's exit status and standard output, and what was reported of its kernels. */
  private record Run(int status, String out, String report) {}

  @BeforeEach
  void requireCompiler() {
    var path = System.getenv().getOrDefault("PATH", "").split(":");
    assumeTrue(Arrays.stream(path).anyMatch(p -> Files.isExecutable(Path.of(p, "nvcc"))), "nvcc is not on the PATH");
  }

  private Path source(String name) throws IOException {
    try (var in = CudaProgramsTest.class.getResourceAsStream(name + ".cu")) {
      return Files.write(folder.resolve(name + ".cu"), in.readAllBytes());
    }
  }

  private Path compiled(String name, String... architecture) throws IOException {
    var program = folder.resolve(name);
    var command = new ArrayList<>(List.of("nvcc", "-cudart", "shared", "-o", program.toString(),
        source(name).toString()));
    command.addAll(List.of(architecture));
    assertEquals(0, Tool.run(command, folder, "nvcc").status());
    return program;
  }

  private Run run(String name, List<String> options, String... arguments) throws IOException {
    var program = folder.resolve(name);
    Nvcc.compile(source(name), program, SimulatedDevice.of(Chip.H100), options);
    return run(program, arguments);
  }

  private Run run(Path program, String... arguments) throws IOException {
    var reported = new ByteArrayOutputStream();
    var console = new Console(InputStream.nullInputStream(), System.out,
        new PrintStream(reported, true, StandardCharsets.UTF_8));
    var host = new HostProgram(SimulatedDevice.of(Chip.H100), SimulatorOptions.defaults().withSanitizer(true),
        new Report(console), RuntimeLibrary.folder(folder.resolve("cache")));
    var out = folder.resolve("out.txt");
    var command = new ProcessBuilder(program.toString()).redirectErrorStream(true).redirectOutput(out.toFile());
    command.command().addAll(List.of(arguments));
    int status = host.run(command);
    return new Run(status, Files.readString(out), reported.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aProgramWithConstantAndDeviceVariables() throws IOException {
    assertEquals(new Run(0, "2 launches on sm_90: no error\n", ""), run("vector_add", List.of()));
  }

  @Test
  void sharedAndManagedMemoryAndArguments() throws IOException {
    assertEquals(new Run(0, "total: 12497500\n", ""), run("reduction", List.of(), "total"));
  }

  @Test
  void aRaceIsFoundAtItsLine() throws IOException {
    var run = run("reduction", List.of("-DRACE"));
    assertTrue(run.report.contains("RACE at reduction.cu:9 "), run.report);
  }

  @Test
  void anOverrunIsFoundAtItsLineAndTheErrorStays() throws IOException {
    var run = run("overrun", List.of());
    assertEquals("cudaErrorIllegalAddress\ncudaErrorIllegalAddress\n", run.out);
    assertTrue(run.report.contains("OUT_OF_BOUNDS at overrun.cu:5 "), run.report);
    assertTrue(run.report.contains("buffer 'allocation 1' of 4000 bytes, offset 4000"), run.report);
  }

  @Test
  void aTensorMapFromTheDriverEntryPoint() throws IOException {
    assertEquals(new Run(0, "transposed\n", ""), run("tma", List.of()));
  }

  @Test
  void aMissingWaitForATensorCopyIsFoundAtItsLine() throws IOException {
    var run = run("tma", List.of("-DNO_WAIT"));
    assertTrue(run.report.contains("PENDING_COPY_READ at tma.cu:29 "), run.report);
  }

  @Test
  void aProgramWithCubinsOnlyIsToldHowToCompile() throws IOException {
    var program = compiled("vector_add", "-gencode", "arch=compute_90a,code=sm_90a");
    var run = run(program);
    assertEquals(1, run.status);
    assertTrue(run.report.contains("a cubin for sm_90: compile with -gencode arch=compute_90a,code=compute_90a"),
        run.report);
  }
}
