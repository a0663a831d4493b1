package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.io.Console;
import tilewright.kernel.Chip;
import tilewright.simulator.SimulatorOptions;

/**
 * A program that was linked with the runtime of CUDA 12, of which a stand-in made here has the name and the versions of
 * symbols: the loader takes no other library then. Skipped where there is no C compiler.
 */
class Cuda12Test {
  private static final List<String> CALLS = List.of("cudaRuntimeGetVersion", "cudaGetDeviceProperties_v2", "cudaMalloc",
      "cudaMemPrefetchAsync", "cudaGraphCreate", "cudaGraphAddMemsetNode", "cudaGraphAddDependencies",
      "cudaGraphAddDependencies_v2", "cudaGraphInstantiate", "cudaGraphLaunch", "cudaLaunchKernel", "cudaMemcpy",
      "__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaRegisterFunction");

  @TempDir
  static Path cache;
  @TempDir
  Path folder;

  @BeforeEach
  void requireCompiler() {
    CCompiler.require();
  }

  @Test
  void itsCallsHaveTheFormsOfCuda12() throws IOException {
    assertEquals("CUDA 12: 9.0, 132 SMs\n5 to 68\n", run(linked()));
  }

  private Path linked() throws IOException {
    Files.writeString(folder.resolve("stub.c"),
        CALLS.stream().map(call -> "int " + call + "(void) { return 1; }\n").collect(Collectors.joining()));
    Files.writeString(folder.resolve("stub.map"), "libcudart.so.12 { global: *; };\n");
    CCompiler.compile(folder, "-shared", "-fPIC", "-Wl,-soname,libcudart.so.12", "-Wl,--version-script=stub.map", "-o",
        "libcudart.so", "stub.c");
    try (var in = Cuda12Test.class.getResourceAsStream("cuda12.c")) {
      Files.write(folder.resolve("cuda12.c"), in.readAllBytes());
    }
    CCompiler.compile(folder, "-o", "cuda12", "cuda12.c", "-L.", "-lcudart");
    return folder.resolve("cuda12");
  }

  private String run(Path program) throws IOException {
    var reported = new ByteArrayOutputStream();
    var console = new Console(InputStream.nullInputStream(), System.out,
        new PrintStream(reported, true, StandardCharsets.UTF_8));
    var watching = Watching.everything(SimulatorOptions.defaults().withSanitizer(true));
    var host = new HostProgram(SimulatedDevice.of(Chip.H100), watching, new Report(console),
        RuntimeLibrary.folder(cache));
    var out = folder.resolve("out.txt");
    int status = host.run(new ProcessBuilder(program.toString()).redirectErrorStream(true)
        .redirectOutput(out.toFile()));
    var text = Files.readString(out);
    assertEquals(0, status, text);
    assertEquals("", reported.toString(StandardCharsets.UTF_8));
    return text;
  }
}
