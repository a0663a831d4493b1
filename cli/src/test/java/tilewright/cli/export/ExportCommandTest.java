package tilewright.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.kernels.registry.KernelRegistry;
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
    assertEquals(1, manifest.get("version").asInt());
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
    requireC("transpose", "return transpose_launch(0, 0, 1, 2, 3, 4, 5, 6);");
  }

  @Test
  void twoConfigurationsOfAKernelFitInOneProgram() throws IOException, InterruptedException {
    // The grids of a kernel that is traced so quickly are found in a moment.
    var first = export("naive-gemm", "--cubin", "sm_80").get("ptx").asString().replace(".ptx", "");
    Files.delete(folder.resolve("manifest.json"));
    var second = export("naive-gemm", "--set", "n=512", "--cubin", "sm_80").get("ptx").asString().replace(".ptx", "");
    Files.writeString(folder.resolve("both.h"), "#include \"" + first + ".h\"\n#include \"" + second + ".h\"\n");
    // Each has a launch function of its own: were the second header dropped, its name would be unknown.
    requireC("both", "(void)" + first + "_launch; (void)" + second + "_launch; return 0;");
  }

  @Test
  void anExportDoesNotOverwriteThatOfAnotherConfiguration() throws IOException {
    export("add", "--cubin", "sm_80");
    var before = Files.readString(folder.resolve("manifest.json"));
    var run = Cli.run("export", "add", "--set", "dtype=f16", "--out", folder.toString(), "--cubin", "sm_80");
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.out());
    assertTrue(run.err().contains("holds the export of add_f32_x4.ptx already"), run.err());
    assertEquals(before, Files.readString(folder.resolve("manifest.json")));
    export("add", "--cubin", "sm_80");
  }

  private void requireC(String header, String statements) throws IOException, InterruptedException {
    // Just enough of cuda.h for a compiler to check the header against.
    Files.writeString(folder.resolve("cuda.h"), """
        #pragma once
        typedef enum { CUDA_SUCCESS } CUresult;
        typedef struct F *CUfunction;
        typedef struct S *CUstream;
        typedef unsigned long long CUdeviceptr;
        typedef unsigned long long cuuint64_t;
        typedef unsigned cuuint32_t;
        typedef struct { cuuint64_t opaque[16]; } CUtensorMap;
        enum { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
               CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 };
        enum { CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9, CU_TENSOR_MAP_INTERLEAVE_NONE = 0, CU_TENSOR_MAP_SWIZZLE_128B = 3,
               CU_TENSOR_MAP_L2_PROMOTION_NONE = 0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };
        typedef struct { int id; union { struct { unsigned x, y, z; } clusterDim;
          int programmaticStreamSerializationAllowed; } value; } CUlaunchAttribute;
        typedef struct { unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
          CUstream hStream; CUlaunchAttribute *attrs; unsigned numAttrs; } CUlaunchConfig;
        CUresult cuFuncSetAttribute(CUfunction, int, int);
        CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
        CUresult cuTensorMapEncodeTiled(CUtensorMap *, int, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
            const cuuint32_t *, const cuuint32_t *, int, int, int, int);
        """);
    Files.writeString(folder.resolve("main.c"), """
        #include "%s.h"
        int main(void) { %s }
        """.formatted(header, statements));
    assertEquals("", output("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers",
        "-fsyntax-only", "-I.", "main.c"));
  }

  /** Multiplies by TMA: tensor maps of all three tensors. */
  private JsonNode exportSm90Gemm() throws IOException {
    return export("sm90-gemm", "--set", "m=512", "--set", "n=512", "--set", "tile=128x256x1", "--cubin",
        "sm_90a");
  }

  @Test
  void theManifestHasTheRecipesOfTensorMapsAndTheHeaderIsC() throws IOException, InterruptedException {
    var manifest = exportSm90Gemm();
    var a = manifest.get("arguments").valueStream().filter(x -> x.get("name").asString().equals("A_map")).findFirst()
        .orElseThrow();
    assertEquals("tensorMap A bf16 bf16 [\"M\",\"K\",\"L\"] K 16 [1,0,2] 128B", String.join(" ",
        a.get("kind").asString(), a.get("tensor").asString(), a.get("dtype").asString(), a.get("element").asString(),
        a.get("extents").toString(), a.get("contiguous").asString(), a.get("alignment").toString(),
        a.get("order").toString(), a.get("swizzle").asString()));
    assertEquals(64, a.get("box").get(0).asInt(), "one swizzled row of 128 bytes");
    assertEquals(132, manifest.get("grid").get("formula").get(0).get("most").asInt());
    requireC(manifest.get("ptx").asString().replace(".ptx", ""), "return 0;");
  }

  @Test
  void clustersAreAttributesOfTheLaunch() throws IOException, InterruptedException {
    export("vector-add");
    var m = ExportManifest.of(KernelRegistry.builtIn().find("vector_add").orElseThrow(), Map.of("n", "1048576"), Map.of());
    var clustered = new ExportManifest(m.kernel(), m.settings(), m.entry(), m.target(), m.ptx(), m.cubins(), m.block(),
        m.dynamicSharedBytes(), List.of(2, 1, 1), m.features(), m.ahead(), m.arguments(), m.counts(), m.scratch(),
        m.grid());
    var header = ExportHeader.of(clustered);
    assertTrue(header.contains("attributes[0].value.clusterDim.x = 2;"), header);
    Files.writeString(folder.resolve("clustered.h"), header);
    requireC("clustered", "return vector_add_launch(0, 0, 1, 2, 3, 4);");
    assertFalse(ExportHeader.of(m).contains("attributes"));
  }

  @Test
  void aKernelThatBeginsEarlySaysSoAndWhatItReadsThen() throws IOException, InterruptedException {
    var manifest = export("sm90-gemm", "--set", "m=16", "--set", "weights=ahead", "--cubin", "sm_90a");
    assertEquals("[\"programmatic\"] [\"A\"]", manifest.get("features") + " " + manifest.get("ahead"),
        "A and B have changed places");
    var name = manifest.get("ptx").asString().replace(".ptx", "");
    var header = Files.readString(folder.resolve(name + ".h"));
    assertTrue(header.contains("reads A before the stream's earlier kernels have ended"), header);
    requireC(name, "return 0;");
    Files.writeString(folder.resolve("try.py"), """
        import json, tilewright_kernel as t
        manifest = json.load(open("manifest.json"))
        for manifest["cluster"] in [[1, 1, 1], [2, 1, 1]]:
            print([list(a[:12]) + [len(a)] for a in t.attributes(manifest)])
        """);
    assertEquals("""
        [[6, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 72]]
        [[4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 72], [6, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 72]]
        """, output("python3", "try.py"));
  }

  @Test
  void theLoaderMakesTensorMapsFromTensors() throws IOException, InterruptedException {
    exportSm90Gemm();
    Files.writeString(folder.resolve("try.py"), """
        import json, tilewright_kernel as t
        class Tensor:
            dtype = "torch.bfloat16"
            def __init__(self, shape, stride):
                self.shape, self.strides = shape, stride
            def stride(self):
                return self.strides
            def data_ptr(self):
                return 4096
        m = json.load(open("manifest.json"))
        maps = []
        def encode(argument, tensor):
            maps.append(t.recipe(argument, tensor)[:2])
            return bytes(128)
        values = {"A": Tensor((100, 72, 1), (80, 1, 7)), "B": Tensor((136, 72, 1), (72, 1, 1)),
                  "C": Tensor((100, 136, 1), (136, 1, 1)), "alpha": 1.0}
        packed, extents = t.pack(m, values, encode)
        print(maps[0], t.grid(m, extents))
        values["A"].strides = (81, 1, 7)
        try:
            t.pack(m, values, encode)
        except ValueError as e:
            print(e)
        """);
    assertEquals("""
        ([72, 100, 1], [160, 16]) (1, 1, 1)
        tensor A: the stride of M is 81, needed are multiples of 8
        """, output("python3", "try.py"));
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

  /** Tries in Python whether the loader takes tensors of these shapes, packed, and prints why not. */
  private String packing(String tensors) throws IOException, InterruptedException {
    Files.writeString(folder.resolve("try.py"), """
        import json, tilewright_kernel as t
        class Tensor:
            is_cuda = True
            def __init__(self, dtype, *shape, stride=None):
                self.dtype, self.shape = "torch." + dtype, shape
                self.strides = stride or tuple(self.product(shape[i + 1:]) for i in range(len(shape)))
            @staticmethod
            def product(numbers):
                return numbers[0] * Tensor.product(numbers[1:]) if numbers else 1
            def stride(self):
                return self.strides
            def data_ptr(self):
                return 4096
        m, maps = json.load(open("manifest.json")), {}
        def encode(argument, tensor):
            maps[argument["name"]] = t.recipe(argument, tensor)
            return bytes(128)
        def attempt(**values):
            try:
                t.pack(m, values, encode)
                print("taken")
            except ValueError as e:
                print(e)
        """ + tensors);
    return output("python3", "try.py");
  }

  @Test
  void theLoaderKnowsTheWidthOfEveryType() throws IOException, InterruptedException {
    export("sm90-gemm", "--set", "dtype=tf32", "--cubin", "sm_90a");
    assertEquals("""
        taken
        [4096, 16]
        tensor A is float16, needed is tf32
        """, packing("""
        c = Tensor("float32", 1024, 1024, 1)
        attempt(A=c, B=c, C=c, alpha=1.0)
        print(maps["A_map"][1])
        attempt(A=Tensor("float16", 1024, 1024, 1), B=c, C=c, alpha=1.0)
        """));
  }

  @Test
  void packedElementsHaveTheirTypesInTheHeader() throws IOException {
    var manifest = export("sm100-narrow-gemm", "--set", "dtype=e2m3", "--set", "dtypeb=e2m1", "--cubin", "sm_100a");
    var header = Files.readString(folder.resolve(manifest.get("ptx").asString().replace(".ptx", ".h")));
    assertTrue(header.contains("DATA_TYPE_16U6_ALIGN16B") && header.contains("A_stride_M * 6 / 8"), header);
  }

  @Test
  void extentsThatNobodySetsAreWhatTheKernelTakesForGranted() throws IOException, InterruptedException {
    var manifest = export("sm90-scaled-gemm", "--cubin", "sm_90a");
    assertEquals("{\"KB\":{\"of\":\"K\",\"each\":128},\"NB\":{\"of\":\"N\",\"each\":128}}",
        manifest.get("counts").toString());
    var header = Files.readString(folder.resolve(manifest.get("ptx").asString().replace(".ptx", ".h")));
    assertTrue(header.contains("; KB is ceil(K/128); L is 1; NB is ceil(N/128)."), header);
    assertEquals("""
        taken
        KB is 3, needed is 4: one for each 128 of K
        tensor A: L is 2, but this kernel was made for 1
        """, packing("""
        def gemm(k, kb, batch):
            return dict(A=Tensor("float8_e4m3fn", 256, k, batch, stride=(k, 1, 256 * k)),
                        B=Tensor("float8_e4m3fn", 384, k, batch, stride=(k, 1, 384 * k)),
                        C=Tensor("bfloat16", 256, 384, batch, stride=(384, 1, 256 * 384)),
                        SA=Tensor("float32", 256, kb, batch, stride=(1, 256, 256 * kb)),
                        SB=Tensor("float32", 3, kb, batch), alpha=1.0)
        attempt(**gemm(512, 4, 1))
        attempt(**gemm(512, 3, 1))
        attempt(**gemm(512, 4, 2))
        """));
  }

  @Test
  void theLoaderRefusesWhatAKernelCannotIndexOrReach() throws IOException, InterruptedException {
    export("histogram", "--set", "n=1000");
    assertEquals("""
        taken
        tensor Y: bins is 255, but this kernel was made for 256
        tensor X: N is 1073741825, needed is at most 1073741824
        tensor X is not on a GPU
        needed are X, Y, got X, Z
        """, packing("""
        y = Tensor("int32", 256)
        attempt(X=Tensor("int32", 77), Y=y)
        attempt(X=Tensor("int32", 77), Y=Tensor("int32", 255))
        attempt(X=Tensor("int32", 2**30 + 1), Y=y)
        x = Tensor("int32", 77)
        x.is_cuda = False
        attempt(X=x, Y=y)
        attempt(X=y, Z=y)
        """));
  }

  @Test
  void theLoaderTakesTensorsWithoutElementsWhateverTheirStrides() throws IOException, InterruptedException {
    export("mat-transpose");
    assertEquals("taken\n", packing("""
        attempt(X=Tensor("float32", 100, 0, stride=(1, 1)), Y=Tensor("float32", 0, 100))
        """));
  }

  @Test
  void scratchMemoryIsTheLoadersPart() throws IOException, InterruptedException {
    var manifest = export("sum", "--set", "n=20000", "--set", "vec=1");
    var blocks = manifest.get("grid").get("blocks").get(0).asInt();
    assertEquals("partial " + 4 * blocks + " tickets 4", manifest.get("scratch").valueStream()
        .map(part -> part.get("name").asString() + " " + part.get("bytes")).collect(Collectors.joining(" ")));
    assertTrue(Files.readString(folder.resolve(manifest.get("ptx").asString().replace(".ptx", ".h")))
        .contains("tickets are 4 bytes of the kernel's own: zeros before the first launch."));
    Files.writeString(folder.resolve("try.py"), """
        import json, tilewright_kernel as t
        class Tensor:
            def __init__(self, *shape):
                self.shape, self.dtype = shape, "torch.float32"
            def stride(self):
                return (1,)
            def data_ptr(self):
                return 4096
        m = json.load(open("manifest.json"))
        scratch = {part["name"]: t.Scratch(part, 8192) for part in m["scratch"]}
        packed, extents = t.pack(m, {"X": Tensor(20000), "Y": Tensor(1), **scratch})
        print(t.grid(m, extents) == tuple(m["grid"]["blocks"]), packed.count((8192).to_bytes(8, "little")))
        """);
    assertEquals("True 2\n", output("python3", "try.py"));
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
