package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ExportCommandTest {
  @TempDir
  Path folder;

  private JsonNode export(String... arguments) throws IOException {
    var all = new ArrayList<>(List.of("export", "--out", folder.toString(), "--json"));
    all.addAll(List.of(arguments));
    var run = Cli.run(all.toArray(String[]::new));
    assertEquals(Exit.OK, run.exitCode(), run.err());
    for (var file : run.json().getFirst().get("files")) {
      assertTrue(Files.size(folder.resolve(file.asString())) > 0, file.asString());
    }
    return JsonMapper.shared().readTree(Files.readString(folder.resolve("manifest.json")));
  }

  @Test
  void theManifestSaysAllThatALaunchNeeds() throws IOException {
    var manifest = export("vector-add");
    assertEquals("vector_add", manifest.get("entry").asString());
    assertEquals("[256,1,1]", manifest.get("block").toString());
    assertEquals("[\"pointer X u64\",\"extent N s32\",\"pointer Y u64\",\"pointer Z u64\"]",
        JsonMapper.shared().writeValueAsString(manifest.get("arguments").valueStream().map(a ->
            a.get("kind").asString() + " " + a.get("name").asString() + " " + a.get("type").asString()).toList()));
    var x = manifest.get("arguments").get(0);
    assertEquals("f32", x.get("dtype").asString());
    assertEquals(16, x.get("alignment").asInt());
    assertEquals("{\"factor\":1,\"tiles\":{\"N\":1024}}", manifest.get("grid").get("formula").get(0).toString());
  }

  @Test
  void thePtxIsThatOfThePtxCommand() throws IOException {
    var manifest = export("transpose");
    var ptx = Cli.run("ptx", "transpose", "--json").json().getFirst().get("ptx").asString();
    assertEquals(ptx, Files.readString(folder.resolve(manifest.get("ptx").asString())));
  }

  @Test
  void cubinsAreElfFilesForTheirTargets() throws IOException {
    var manifest = export("vector-add", "--cubin", "sm_80,sm_90");
    for (var target : List.of("sm_80", "sm_90")) {
      var cubin = Files.readAllBytes(folder.resolve(manifest.get("cubins").get(target).asString()));
      assertEquals("7f454c46", "%02x%02x%02x%02x".formatted(cubin[0], cubin[1], cubin[2], cubin[3]));
    }
  }

  @Test
  void matrixProductsHaveTheirTilesInTheGrid() throws IOException {
    var grid = export("naive-gemm").get("grid");
    assertTrue(grid.get("text").toString().contains("ceil(M/16)"), grid.toString());
    assertTrue(grid.get("text").toString().contains("ceil(N/16)"), grid.toString());
  }

  @Test
  void theHeaderIsC() throws IOException, InterruptedException {
    export("transpose");
    // Just enough of cuda.h for a compiler to check the header against.
    Files.writeString(folder.resolve("cuda.h"), """
        typedef enum { CUDA_SUCCESS } CUresult;
        typedef struct F *CUfunction;
        typedef struct S *CUstream;
        typedef unsigned long long CUdeviceptr;
        enum { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
        CUresult cuFuncSetAttribute(CUfunction, int, int);
        CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
            CUstream, void **, void **);
        """);
    Files.writeString(folder.resolve("main.c"), """
        #include "transpose.h"
        int main(void) { return transpose_launch(0, 0, 1, 2, 3, 4, 5, 6); }
        """);
    assertEquals("", output("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", "main.c"));
  }

  @Test
  void theLoaderPacksArgumentsAndRefusesWrongTensors() throws IOException, InterruptedException {
    export("transpose");
    Files.writeString(folder.resolve("try.py"), """
        import json, tilewright_kernel as t
        class Tensor:
            dtype = "torch.float32"
            def __init__(self, *shape):
                self.shape = shape
            def stride(self):
                return (self.shape[1], 1)
            def data_ptr(self):
                return 4096
        m = json.load(open("manifest.json"))
        packed, extents = t.pack(m, {"X": Tensor(100, 33), "Y": Tensor(33, 100)})
        print(sorted(extents.items()), t.grid(m, extents), len(packed) == len(m["arguments"]),
              packed[0] == (4096).to_bytes(8, "little"))
        try:
            t.pack(m, {"X": Tensor(100, 33), "Y": Tensor(33, 101)})
        except ValueError as e:
            print(e)
        """);
    assertEquals("""
        [('M', 100), ('N', 33)] (2, 4, 1) True True
        tensor Y: M is 101, but another tensor has 100
        """, output("python3", "try.py"));
  }

  @Test
  void refusesAKernelThatIsNotThere() {
    var run = Cli.run("export", "no-such-kernel", "--out", folder.resolve("x").toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertFalse(Files.exists(folder.resolve("x")));
  }

  /** Both streams of a program in the folder; the test is skipped where there is no such program. */
  private String output(String... command) throws IOException, InterruptedException {
    try {
      var process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
      var text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      process.waitFor();
      return text;
    } catch (IOException e) {
      assumeTrue(false, "no " + command[0] + " here: " + e.getMessage());
      throw e;
    }
  }
}
