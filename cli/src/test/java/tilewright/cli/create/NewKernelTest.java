package tilewright.cli.create;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** The project that {@code new kernel} makes, compiled and run without Maven. */
class NewKernelTest {
  @TempDir
  Path folder;

  private Path made(String name) {
    var out = folder.resolve("a folder").resolve(name);
    var run = Cli.run("new", "kernel", name, "--out", out.toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("verify --classpath target/" + name + ".jar " + name), run.out());
    return out;
  }

  /** Compiles all sources of a project, and returns the folder of its classes. */
  private Path compiled(Path project) throws IOException {
    var classes = Files.createDirectories(folder.resolve("classes"));
    var arguments = Stream.<String>builder();
    Stream.of("-proc:none", "-Xlint:all", "-Werror", "-cp", String.join(File.pathSeparator,
        System.getProperty("java.class.path"), System.getProperty("jdk.module.path", "")), "-d", classes.toString())
        .forEach(arguments);
    try (var files = Files.walk(project.resolve("src"))) {
      files.filter(f -> f.toString().endsWith(".java")).map(Path::toString).forEach(arguments);
    }
    assertEquals(0, ToolProvider.findFirst("javac").orElseThrow().run(System.out, System.err,
        arguments.build().toArray(String[]::new)));
    var services = project.resolve("src/main/resources/META-INF/services");
    var target = Files.createDirectories(classes.resolve("META-INF/services"));
    try (var files = Files.list(services)) {
      for (var file : files.toList()) Files.copy(file, target.resolve(file.getFileName()));
    }
    return classes;
  }

  @Test
  void itsTestPassesAndVerifyIsGreen() throws Exception {
    var project = made("fused_bias");
    var classes = compiled(project);
    try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      EngineTestKit.engine("junit-jupiter").selectors(selectClass(loader.loadClass("fused_bias.FusedBiasTest")))
          .execute().testEvents().assertStatistics(events -> events.succeeded(1).failed(0));
    }
    var run = Cli.run("verify", "--classpath", classes.toString(), "fused_bias", "--on", "sim", "--json", "--report",
        folder.resolve("report.html").toString());
    assertEquals(Exit.OK, run.exitCode(), run.err());
    assertEquals(6, run.json().size(), run.out());
    for (var row : run.json()) assertTrue(row.get("bitExact").asBoolean(), row.toString());
    assertTrue(Files.readAllLines(project.resolve("src/test/java/fused_bias/FusedBiasTest.java")).size() < 20);
  }

  @Test
  void itHoldsTheLibrariesThatItsPomNames() throws IOException {
    var project = made("bias2");
    var version = value(project.resolve("pom.xml"), "tilewright.version");
    assertTrue(version.matches("0\\.1\\.0-[0-9a-f]{8}"), version);
    for (var artifact : ProjectRepository.ARTIFACTS) {
      var stem = project.resolve("repository/dev/tilewright/" + artifact.id() + "/" + version + "/" + artifact.id()
          + "-" + version);
      assertTrue(Files.size(Path.of(stem + ".jar")) > 500, stem.toString());
      assertEquals(version, value(Path.of(stem + ".pom"), "version"));
    }
    assertEquals(version, value(made("bias3").resolve("pom.xml"), "tilewright.version"));
  }

  /** Reads what the command knows of Tilewright's own build from the files of that build. */
  @Test
  void theLibrariesUseWhatTheirPomsSay() throws IOException {
    var root = Path.of("..");
    assertEquals(ProjectFiles.JUNIT, value(root.resolve("pom.xml"), "junit.version"));
    assertEquals(ProjectRepository.JCUDA, value(root.resolve("pom.xml"), "jcuda.version"));
    for (var artifact : ProjectRepository.ARTIFACTS) {
      var pom = Files.readString(root.resolve(artifact.id()).resolve("pom.xml"));
      var needed = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL).matcher(pom).results()
          .map(d -> d.group(1)).filter(d -> !d.contains("<scope>test</scope>"))
          .map(d -> d.replaceAll("(?s).*?<artifactId>(.*?)</artifactId>.*", "$1")).sorted().toList();
      assertEquals(needed, artifact.uses().stream().sorted().toList(), artifact.id());
    }
  }

  private static String value(Path file, String element) throws IOException {
    var match = Pattern.compile("<" + element + ">([^<]*)<").matcher(Files.readString(file));
    assertTrue(match.find(), element);
    return match.group(1);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "BiasRelu | such as bias_relu",
      "bias-relu | such as bias_relu",
      "2bias | a letter first, such as bias",
      "while | it is a keyword of Java; try while_kernel",
      "relu | Tilewright has one of that name; try my_relu",
      "gemm | Tilewright has one of that name; try my_gemm",
      "../up | needed are lower-case letters"})
  void aNameThatCannotBeIsRefused(String name, String reason) {
    var run = Cli.run("new", "kernel", name, "--out", folder.resolve("x").toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("invalid name '" + name + "'") && run.err().contains(reason), run.err());
    assertFalse(Files.exists(folder.resolve("x")));
  }

  @Test
  void whatIsThereIsNotOverwritten() throws IOException {
    var there = Files.createDirectories(folder.resolve("mine"));
    Files.writeString(there.resolve("notes.txt"), "mine");
    var run = Cli.run("new", "kernel", "mine", "--out", there.toString());
    assertEquals(Exit.BAD_INPUT, run.exitCode());
    assertTrue(run.err().contains("exists and is not an empty folder; name another folder with --out"), run.err());
    assertEquals(List.of("notes.txt"), Stream.of(there.toFile().list()).toList());
  }
}
