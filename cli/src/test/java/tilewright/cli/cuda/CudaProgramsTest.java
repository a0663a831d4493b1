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
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Console;
import tilewright.kernel.Chip;
import tilewright.simulator.SimulatorOptions;
import tools.jackson.databind.json.JsonMapper;

/** Compiles CUDA programs and runs them; skipped where there is no nvcc. */
class CudaProgramsTest {
  private static final SimulatorOptions SANITIZED = SimulatorOptions.defaults().withSanitizer(true);

  /** Where the libraries are compiled once. */
  @TempDir
  static Path cache;
  @TempDir
  Path folder;

  /** A program's exit status and standard output, and what was reported of its kernels. */
  private record Run(int status, String out, String report) {}

  @BeforeEach
  void requireCompiler() {
    var path = System.getenv().getOrDefault("PATH", "").split(":");
    assumeTrue(Arrays.stream(path).anyMatch(p -> Files.isExecutable(Path.of(p, "nvcc"))), "nvcc is not on the PATH");
  }

  private Path library() {
    return RuntimeLibrary.folder(cache);
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
    Nvcc.compile(source(name), program, SimulatedDevice.of(Chip.H100), library(), options);
    return run(program, arguments);
  }

  private Run run(Path program, String... arguments) throws IOException {
    return run(Watching.everything(SANITIZED), program, arguments);
  }

  private Run run(Watching watching, Path program, String... arguments) throws IOException {
    return run(SimulatedDevice.of(Chip.H100), watching, program, arguments);
  }

  private Run run(SimulatedDevice device, Watching watching, Path program, String... arguments) throws IOException {
    var reported = new ByteArrayOutputStream();
    var console = new Console(InputStream.nullInputStream(), System.out,
        new PrintStream(reported, true, StandardCharsets.UTF_8));
    var host = new HostProgram(device, watching, new Report(console), library());
    var out = folder.resolve("out.txt");
    var command = new ProcessBuilder(program.toString()).redirectErrorStream(true).redirectOutput(out.toFile());
    command.command().addAll(List.of(arguments));
    int status = host.run(command);
    return new Run(status, Files.readString(out), reported.toString(StandardCharsets.UTF_8));
  }

  /** A program's output without what the libraries say themselves. */
  private static String withoutMessages(Run run) {
    return run.out.lines().filter(line -> !line.startsWith("tilewright: ")).map(line -> line + "\n")
        .collect(Collectors.joining());
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
  void theHostUsesManagedMemoryWhileAKernelDoes() throws IOException {
    assertEquals(new Run(0, "host 100000000, kernel 200000\n", ""), run("managed", List.of()));
  }

  @Test
  void theStaticRuntimeIsRefusedWithoutACrash() throws IOException {
    var program = compiled("vector_add", "-cudart", "static");
    var run = Cli.run("cuda", program.toString());
    assertEquals(2, run.exitCode(), run.err());
    assertTrue(run.err().contains("it contains the static CUDA runtime: link it with nvcc -cudart shared"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void aProfileCountsWhatTheFirstLaunchReadsAndWrites() throws IOException {
    var program = compiled("vector_add", "-gencode", "arch=compute_90a,code=compute_90a");
    var kernel = JsonMapper.shared().readTree(Cli.run("cuda", "--profile", "--json", program.toString()).out())
        .get("kernels").get(0);
    assertEquals(2, kernel.get("launches").asInt());
    var global = kernel.get("profile").get("spaces").valueStream()
        .filter(space -> space.get("space").asString().equals("global")).findFirst().orElseThrow();
    // 1000 threads read x, y and the constant, which lies in global memory; one also counts the launch.
    assertEquals(12_004, global.get("bytesRead").asInt());
    assertEquals(4_004, global.get("bytesWritten").asInt());
    var text = Cli.run("cuda", "--profile", program.toString()).err();
    assertTrue(text.contains("2 launches, ") && text.contains("limited by"), text);
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
  @Tag("full")
  void aHopperGemmWhoseRingIsUsedAgain() throws IOException {
    // Five steps of k in a ring of four stages; the program compares with FP64.
    var run = run("hopper_gemm", List.of("-std=c++17"), "128", "256", "320");
    assertEquals(0, run.status, run.out);
    assertEquals("", run.report);
  }

  @Test
  void aMissingWaitForATensorCopyIsFoundAtItsLine() throws IOException {
    var run = run("tma", List.of("-DNO_WAIT"));
    assertTrue(run.report.contains("PENDING_COPY_READ at tma.cu:29 "), run.report);
  }

  @Test
  void graphsOfNodesAndByCapture() throws IOException {
    assertEquals(new Run(0, """
        4 nodes
        nodes: 23, cudaSuccess
        changed: 29, cudaSuccess
        cycle: cudaErrorInvalidValue
        captured: 14, cudaSuccess
        update: cudaSuccess
        updated: 15, cudaSuccess
        another form: cudaErrorGraphExecUpdateFailure, 2
        cloned: 14, cudaSuccess
        wait: cudaErrorStreamCaptureUnsupported
        end: cudaErrorStreamCaptureInvalidated
        5 calls
        before: cudaErrorInvalidValue
        memory: 7, not freed: cudaErrorInvalidValue
        freed by itself: cudaSuccess
        4100 bytes, trimmed 4, at most 4100, free: cudaSuccess
        loop: 1111, cudaSuccess
        again: 1111, cudaSuccess
        """, ""), run("graphs", List.of()));
  }

  @Test
  void twoDevicesUseEachOthersMemory() throws IOException {
    var program = compiled("devices", "-gencode", "arch=compute_90a,code=compute_90a");
    assertEquals(new Run(0, """
        2 devices, can access: 1, a third: cudaErrorInvalidDevice
        enable: cudaSuccess
        enable: cudaSuccess
        again: cudaErrorPeerAccessAlreadyEnabled
        62, memory of 0 and 1, current 1, cudaSuccess
        """, ""), run(SimulatedDevice.of(Chip.H100).times(2), Watching.everything(SANITIZED), program));
  }

  @Test
  void twoProcessesUseOneAllocation() throws IOException {
    assertEquals(new Run(0, """
        share: cudaSuccess
        open: cudaSuccess
        close: cudaSuccess
        321 321
        in one process: cudaErrorInvalidValue
        """, ""), run("shared", List.of()));
  }

  @Test
  void virtualMemoryGrowsAndWhatIsUnmappedIsFound() throws IOException {
    var expected = """
        reserve: CUDA_SUCCESS
        half a step: CUDA_ERROR_INVALID_VALUE
        map: CUDA_SUCCESS
        map more: CUDA_SUCCESS
        7340032 of 7340032
        11
        12
        with a gap: CUDA_ERROR_NOT_SUPPORTED
        complete: CUDA_SUCCESS
        linked: 7
        unmap: CUDA_SUCCESS
        no allocation: CUDA_ERROR_INVALID_VALUE
        still in use: CUDA_ERROR_INVALID_VALUE
        """;
    var run = run("ranges", List.of("-lcuda"));
    assertEquals(expected + """
        behind: CUDA_SUCCESS
        unmap all: CUDA_SUCCESS
        free: CUDA_SUCCESS
        """, withoutMessages(run));
    var behind = run(folder.resolve("ranges"), "behind");
    assertTrue(withoutMessages(behind).startsWith(expected + "behind: CUDA_ERROR_ILLEGAL_ADDRESS\n"), behind.out);
    assertTrue(behind.report.contains("OUT_OF_BOUNDS at ranges.cu:6 "), behind.report);
  }

  @Test
  void theDeviceHeapOutlivesLaunchesAndManagedVariablesAreShared() throws IOException {
    assertEquals(new Run(0, "146 1007 cudaSuccess\n64 MiB: null, then there\n", ""), run("heap", List.of()));
  }

  @Test
  void theUseOfHeapMemoryThatAnEarlierLaunchFreedIsFound() throws IOException {
    var run = run("heap", List.of("-DUSE_AFTER_FREE"));
    assertEquals("146 1007 cudaSuccess\ncudaErrorIllegalAddress\n", run.out);
    assertTrue(run.report.contains("allocation 9 of the device heap, which was freed"), run.report);
  }

  @Test
  void theDriverApi() throws IOException {
    var run = run("driver", List.of("-lcuda"));
    assertEquals("""
        NVIDIA H100 80GB HBM3, 9
        load: CUDA_SUCCESS
        no kernel: CUDA_ERROR_NOT_FOUND
        20 780
        too many threads: CUDA_ERROR_INVALID_VALUE
        array: CUDA_ERROR_NOT_SUPPORTED
        overrun: CUDA_ERROR_ILLEGAL_ADDRESS
        afterwards: CUDA_ERROR_ILLEGAL_ADDRESS
        """, withoutMessages(run));
    assertTrue(run.out.contains("tilewright: cuArrayCreate_v2 is not supported"), run.out);
  }

  @Test
  void modulesThatTheDriverApiCannotLoad() throws IOException {
    var text = Files.writeString(folder.resolve("text.ptx"), "no PTX");
    var bad = run("driver", List.of("-lcuda"), text.toString());
    var program = folder.resolve("driver");
    assertEquals("NVIDIA H100 80GB HBM3, 9\nCUDA_ERROR_INVALID_PTX\n", bad.out);
    assertTrue(bad.report.contains("a module cannot be loaded: line 1, column 1"), bad.report);
    var code = Files.write(folder.resolve("code.cubin"), new byte[] {0x7F, 'E', 'L', 'F', 2, 1, 1, 0});
    var cubin = run(program, code.toString());
    assertEquals("NVIDIA H100 80GB HBM3, 9\nCUDA_ERROR_NO_BINARY_FOR_GPU\n", cubin.out);
    assertTrue(cubin.report.contains("a module is machine code (a cubin)"), cubin.report);
    assertEquals("NVIDIA H100 80GB HBM3, 9\nCUDA_ERROR_FILE_NOT_FOUND\n", run(program, "none").out);
  }

  /** Compiles a program, runs it once without and once with the record, and lets {@code sim} run the record. */
  private Cli recorded(String name, String... more) throws IOException {
    run(name, List.of(more));
    var records = folder.resolve("records-" + name);
    run(new Watching(SANITIZED, Optional.empty(), Optional.of(records)), folder.resolve(name));
    return Cli.run("sim", records.toString(), "--sanitize");
  }

  @Test
  void recordedLaunchesGiveTheSameAgain() throws IOException {
    // The first has a tensor map, the second a constant that the host sets, the third managed memory.
    for (var name : List.of("tma", "vector_add", "reduction")) {
      var again = recorded(name);
      assertEquals(0, again.exitCode(), again.out());
      assertTrue(again.out().contains("OK"), again.out());
    }
  }

  @Test
  void aRecordedLaunchHasTheSameRace() throws IOException {
    var again = recorded("reduction", "-DRACE");
    assertEquals(1, again.exitCode());
    assertTrue(again.out().contains("RACE at reduction.cu:9 "), again.out());
  }

  @Test
  void aRecordThatCannotBeRunAgainIsSaidToBeOne() throws IOException {
    run("pointers", List.of());
    var watching = new Watching(SANITIZED, Optional.empty(), Optional.of(folder.resolve("records")));
    var run = run(watching, folder.resolve("pointers"));
    assertTrue(run.report.contains("launch 1 of kernel _Z5storePPi finds allocation 2 by pointers in memory"),
        run.report);
  }

  @Test
  void onlyTheChosenKernelIsWatched() throws IOException {
    run("reduction", List.of("-DRACE"));
    var program = folder.resolve("reduction");
    assertEquals("", run(new Watching(SANITIZED, Optional.of("other"), Optional.empty()), program).report);
    var chosen = run(new Watching(SANITIZED, Optional.of("sum"), Optional.empty()), program);
    assertTrue(chosen.report.contains("RACE at reduction.cu:9 "), chosen.report);
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
