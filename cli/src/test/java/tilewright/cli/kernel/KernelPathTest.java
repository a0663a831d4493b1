package tilewright.cli.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;
import tilewright.kernels.registry.KernelRegistry;

/** Kernels of a user's jar, which was compiled apart from Tilewright. */
class KernelPathTest {
  private static final String SERVICE = "META-INF/services/tilewright.kernels.registry.KernelCatalogue";

  /** Y = 2·X and its description: what a user writes, one file. */
  private static final String DOUBLING = """
      package user;

      import java.util.List;
      import tilewright.kernel.Kernel;
      import tilewright.kernel.Partition;
      import tilewright.kernel.Scope;
      import tilewright.kernel.Target;
      import tilewright.kernel.TensorSpec;
      import tilewright.kernels.registry.Choice;
      import tilewright.kernels.registry.Family;
      import tilewright.kernels.registry.Operand;
      import tilewright.kernels.registry.Setting;
      import tilewright.kernels.registry.Workload;
      import tilewright.layout.Layout;
      import tilewright.numerics.ElementType;
      import tilewright.reference.Expected;

      final class Doubling implements Family {
        private record Doubled() implements Kernel {
          private static final Partition THREADS = Partition.exact(Layout.parse("(128,1):(1,0)"), 128);

          @Override
          public String name() {
            return "doubling";
          }

          @Override
          public void trace(Scope k) {
            var i = THREADS.coordinate(k.block(THREADS.threads()), 0);
            var x = k.global(TensorSpec.of("X", ElementType.F32, "N")).tile(List.of(128), k.blockX());
            var y = k.global(TensorSpec.of("Y", ElementType.F32, "N")).tile(List.of(128), k.blockX());
            k.when(y.contains(i), () -> y.at(i).store(x.at(i).load().plus(x.at(i).load())));
          }
        }

        @Override
        public String name() {
          return "NAME";
        }

        @Override
        public String formula() {
          return "Y = 2·X";
        }

        @Override
        public List<Setting> settings() {
          return List.of(Setting.extent("n", 1 << 16));
        }

        @Override
        public Workload workload(Choice choice) {
          return Workload.of(new Doubled(), Target.SM80, Math.ceilDiv(choice.number("n"), 128),
              tensors -> {
                var y = tensors.get("X").clone();
                for (int i = 0; i < y.length; i++) y[i] *= 2;
                return List.of(Expected.bits("Y", y));
              }, Operand.input("X", ElementType.F32, choice, "n"), Operand.output("Y", ElementType.F32, choice, "n"));
        }

        @Override
        public List<List<Integer>> awkward() {
          return List.of(List.of(1), List.of(127), List.of(1000));
        }

        @Override
        public List<List<Integer>> measured() {
          return List.of(List.of(1 << 26));
        }
      }
      """;
  private static final String CATALOGUE = """
      package user;

      import java.lang.invoke.MethodHandles;
      import java.util.stream.Stream;
      import tilewright.kernels.registry.DescribedKernels;
      import tilewright.kernels.registry.KernelCatalogue;
      import tilewright.kernels.registry.KernelDescription;

      public final class Kernels implements KernelCatalogue {
        @Override
        public Stream<KernelDescription> kernels() {
          return DescribedKernels.beside(MethodHandles.lookup());
        }
      }
      """;

  /** A GEMM variant and its description: one file too. */
  private static final String VARIANT = """
      package user;

      import java.util.List;
      import java.util.Optional;
      import tilewright.kernel.PreparedLaunch;
      import tilewright.kernel.Target;
      import tilewright.kernels.gemm.Gemm;
      import tilewright.kernels.GemmProblem;
      import tilewright.kernels.GemmTypes;
      import tilewright.kernels.epilogue.EpilogueArguments;
      import tilewright.kernels.library.GemmKernel;
      import tilewright.kernels.library.GemmSettings;
      import tilewright.kernels.registry.Choice;
      import tilewright.kernels.registry.Setting;
      import tilewright.numerics.ElementType;

      final class Variant implements GemmKernel {
        @Override
        public String name() {
          return "variant_gemm";
        }

        @Override
        public String formula() {
          return "C = A·Bᵀ in tiles of its own";
        }

        @Override
        public List<Setting> settings() {
          return GemmSettings.of(Setting.types("dtype", ElementType.BF16, ElementType.F16));
        }

        @Override
        public Target target() {
          return Target.SM80;
        }

        @Override
        public PreparedLaunch launchFor(Choice choice) {
          var problem = GemmSettings.problem(choice, GemmTypes.of(choice.type("dtype"), ElementType.F32), 1);
          return prepare(problem, EpilogueArguments.plain(problem));
        }

        @Override
        public PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
          return Gemm.sm80(problem, Gemm.configureForAnyStrides(problem), epilogue);
        }

        @Override
        public Optional<String> refusal(GemmProblem problem) {
          return problem.batch() == 1 ? Optional.empty() : Optional.of("no batches");
        }
      }
      """;

  @TempDir
  static Path folder;

  private static String jar;

  @BeforeAll
  static void build() throws IOException {
    jar = jar("user", Map.of("user/Doubling", DOUBLING.replace("NAME", "doubling"), "user/Variant", VARIANT,
        "user/Kernels", CATALOGUE), "user.Kernels").toString();
  }

  private static Path jar(String name, Map<String, String> sources, String provider) throws IOException {
    var root = Files.createDirectories(folder.resolve(name));
    var classes = Files.createDirectories(root.resolve("classes"));
    var files = Stream.<String>builder();
    for (var source : sources.entrySet()) {
      var file = root.resolve(source.getKey() + ".java");
      Files.createDirectories(file.getParent());
      Files.writeString(file, source.getValue());
      files.add(file.toString());
    }
    run("javac", Stream.concat(Stream.of("-proc:none", "-cp", classPath(), "-d", classes.toString()), files.build()));
    if (!provider.isEmpty()) {
      Files.createDirectories(classes.resolve(SERVICE).getParent());
      Files.writeString(classes.resolve(SERVICE), provider + "\n");
    }
    var jar = folder.resolve(name + ".jar");
    run("jar", Stream.of("--create", "--file", jar.toString(), "-C", classes.toString(), "."));
    return jar;
  }

  private static String classPath() {
    return String.join(File.pathSeparator, System.getProperty("java.class.path"),
        System.getProperty("jdk.module.path", ""));
  }

  private static void run(String tool, Stream<String> arguments) {
    assertEquals(0, ToolProvider.findFirst(tool).orElseThrow().run(System.out, System.err,
        arguments.toArray(String[]::new)));
  }

  private static Cli run(String... arguments) {
    return Cli.run(Stream.concat(Stream.of(arguments), Stream.of("--classpath", jar)).toArray(String[]::new));
  }

  @Test
  void kernelsListsItBehindTilewrightsOwn() {
    var rows = run("kernels", "--json").json();
    assertEquals(KernelRegistry.builtIn().names().size() + 2, rows.size());
    assertEquals("variant_gemm", rows.getLast().get("kernel").asString());
    var doubling = rows.get(rows.size() - 2);
    assertEquals("doubling", doubling.get("kernel").asString());
    assertEquals("Y = 2·X", doubling.get("description").asString());
    assertEquals("65536", doubling.get("settings").get("n").asString());
  }

  @Test
  void withoutTheJarItIsUnknown() {
    var run = Cli.run("ptx", "doubling");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().startsWith("tilewright: no kernel is called doubling"), run.err());
  }

  @Test
  void ptxTracesItAndKnowsItsSettings() {
    var run = Cli.run("ptx", "--classpath=" + jar, "doubling", "--set", "n=77");
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains(".entry doubling("), run.out());
    var wrong = run("ptx", "doubling", "--set", "m=77");
    assertTrue(wrong.err().contains("the kernel has no setting m"), wrong.err());
    assertTrue(run("ptx", "dubling").err().contains("did you mean doubling?"));
  }

  @Test
  void verifyComparesItWithItsReference() {
    var run = run("verify", "doubling", "--on", "sim", "--json", "--report", folder.resolve("report.html").toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    // Three sizes, one with infinities, and one of none.
    assertEquals(5, run.json().size(), run.out());
    for (var row : run.json()) assertEquals("pass", row.get("status").asString(), row.toString());
  }

  /** The cases that every GEMM has, but for those that this one refuses. */
  @Test
  void verifyGivesAGemmItsCases() {
    var run = run("verify", "variant-gemm", "--on", "sim", "--json", "--report",
        folder.resolve("gemm.html").toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertEquals(11, run.json().size(), run.out());
    for (var row : run.json()) assertTrue(row.get("bitExact").asBoolean(), row.toString());
  }

  @Test
  void benchKnowsAGemm() {
    var run = run("bench", "variant_gemm", "--set", "m=0");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("invalid m=0: there is nothing to measure"), run.err());
  }

  @Test
  void runGemmChoosesIt() throws IOException {
    var matrix = folder.resolve("matrix.npy");
    var product = folder.resolve("product.npy");
    Files.write(matrix, Npy.normalHalves(16, 16, 1));
    for (var name : List.of("variant", "variant_gemm")) {
      var run = run("run", "gemm", "--a", matrix.toString(), "--b", matrix.toString(), "--out", product.toString(),
          "--kernel", name, "--json");
      assertEquals(Exit.OK, run.exitCode(), run.err());
      assertEquals(name, run.json().getFirst().get("kernel").asString());
    }
    var unknown = Cli.run("run", "gemm", "--a", matrix.toString(), "--b", matrix.toString(), "--out",
        product.toString(), "--kernel", "variant");
    assertTrue(unknown.err().contains("invalid --kernel variant: naive or sm80 or sm89 or sm90 or sm100"),
        unknown.err());
  }

  /** A machine without a GPU refuses only after the kernel was found. */
  @Test
  void benchKnowsIt() {
    var unknown = Cli.run("bench", "doubling");
    assertEquals(Exit.BAD_INPUT, unknown.exitCode());
    assertTrue(unknown.err().contains("no benchmark of doubling"), unknown.err());
    var run = run("bench", "doubling", "--set", "n=1");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("no variant of these kernels has the settings {n=1}"), run.err());
  }

  @Test
  void tuneKnowsThatItHasNoTunings() {
    var run = run("tune", "doubling");
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("doubling has no tunings, only n"), run.err());
  }

  @Test
  void exportWritesIt() {
    var out = folder.resolve("exported");
    var run = run("export", "doubling", "--out", out.toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(Files.exists(out.resolve("doubling.h")), run.out());
  }

  @Test
  void runTakesFiles() throws IOException {
    var x = folder.resolve("x.npy");
    var y = folder.resolve("y.npy");
    Files.write(x, Npy.file(1, Npy.header("<f4", false, "(3,)"), Npy.floats(1, -2.5f, 3)));
    var run = run("run", "doubling", "--in", "X=" + x, "--out", "Y=" + y);
    assertEquals(Exit.OK, run.exitCode(), run.err());
    var written = Files.readAllBytes(y);
    assertArrayEquals(Npy.floats(2, -5, 6), Arrays.copyOfRange(written, written.length - 12, written.length));
  }

  @Test
  void severalJarsFollowEachOther() throws IOException {
    var other = jar("other", Map.of("other/Doubling", DOUBLING.replace("NAME", "twice").replace("package user",
        "package other"), "other/Kernels", CATALOGUE.replace("package user", "package other")), "other.Kernels");
    var names = Cli.run("kernels", "--json", "--classpath", jar + File.pathSeparator + other).json().stream()
        .map(row -> row.get("kernel").asString()).toList();
    assertTrue(names.containsAll(List.of("doubling", "twice", "sm90_gemm")), names.toString());
  }

  @ParameterizedTest
  @CsvSource({"relu, there is one of that name already", "sm90_gemm, there is one of that name already",
      "gemm, no kernel can be called gemm"})
  void aNameThatIsTakenIsRefused(String name, String reason) throws IOException {
    var taken = jar(name, Map.of("user/Doubling", DOUBLING.replace("NAME", name), "user/Kernels", CATALOGUE),
        "user.Kernels");
    assertRefused(reason, taken.toString());
  }

  @Test
  void whatHasNoKernelsIsRefused() throws IOException {
    assertRefused(folder.resolve("missing.jar") + ": no such file", folder.resolve("missing.jar").toString());
    assertRefused("is no jar: ", Files.writeString(folder.resolve("text.jar"), "text").toString());
    assertRefused("an empty name", "");
    assertRefused("no file can be called so: ", "a\0b");
    assertRefused("has no kernels: needed is a file " + SERVICE, jar("without", Map.of("user/Kernels", CATALOGUE), "")
        .toString());
    assertRefused("its kernels cannot be listed: ", jar("absent", Map.of("user/Kernels", CATALOGUE), "user.Absent")
        .toString());
    var broken = CATALOGUE.replace("return DescribedKernels.beside(MethodHandles.lookup());",
        "throw new UnsupportedOperationException(\"not yet\");");
    assertRefused("its kernels cannot be listed: java.lang.UnsupportedOperationException: not yet",
        jar("broken", Map.of("user/Kernels", broken), "user.Kernels").toString());
  }

  private static void assertRefused(String reason, String path) {
    for (var json : List.of(false, true)) {
      var run = json ? Cli.run("kernels", "--json", "--classpath", path) : Cli.run("kernels", "--classpath", path);
      assertEquals(Exit.BAD_INPUT, run.exitCode(), run.err());
      assertEquals(1, run.err().lines().count(), run.err());
      assertTrue(run.err().contains(reason), run.err());
      assertEquals(json, run.out().contains("\"exitCode\":2"), run.out());
      assertFalse(run.err().contains("\tat "), run.err());
    }
  }
}
