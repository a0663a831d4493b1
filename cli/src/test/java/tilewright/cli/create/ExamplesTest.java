package tilewright.cli.create;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The projects in {@code examples}, built and tested by Maven as their readers do it, but with this build's jars. */
class ExamplesTest {
  private static final Path EXAMPLES = Path.of("../examples").toAbsolutePath().normalize();
  private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
  private static final Pattern ERROR = Pattern.compile("error (\\S+)");
  private static final Pattern SUITE = Pattern.compile("<testsuite [^>]*\\stests=\"(\\d+)\"");

  @TempDir
  Path folder;

  @Test
  void projectsBuildAndTheirTestsPass() throws IOException, InterruptedException {
    var jars = ProjectRepository.ofThisProgram();
    jars.writeTo(folder.resolve("repository"));
    var projects = copied(EXAMPLES, folder.resolve("examples"));
    var built = run("mvn", "-B", "-q", "-s", settings().toString(), "-f", projects.toString(),
        "-Dtilewright.version=" + jars.version(), "package");
    assertEquals(0, built.status(), built.text());
    var modules = MODULE.matcher(Files.readString(projects.resolve("pom.xml"))).results().map(m -> m.group(1)).toList();
    assertTrue(modules.contains("own-kernel"), modules.toString());
    for (var module : modules) assertTrue(tests(projects.resolve(module)) > 0, module);
  }

  @Test
  void theLayoutsOfJShellAreThoseOfItsReadme() throws IOException, InterruptedException {
    var hello = EXAMPLES.resolve("hello-layout");
    // The first time that a user starts it, JShell says on standard error that it makes a folder for preferences.
    var run = output(Path.of(System.getProperty("java.home"), "bin/jshell").toString(), "--class-path",
        EXAMPLES.resolveSibling("layout-algebra/target/classes").toString(), hello.resolve("hello.jsh").toString());
    assertEquals(0, run.status(), run.text());
    assertTrue(Files.readString(hello.resolve("README.md")).contains("```\n" + run.text() + "```\n"), run.text());
  }

  @Test
  void attentionFromPythonIsAsExactAsPyTorchs() throws IOException, InterruptedException {
    var run = run("python3", EXAMPLES.resolve("pytorch/attention.py").toString());
    assumeTrue(run.status() == 0 || run.text().lines().count() > 1, run.text().strip());
    assertEquals(0, run.status(), run.text());
    var errors = ERROR.matcher(run.text()).results().mapToDouble(m -> Double.parseDouble(m.group(1))).toArray();
    assertEquals(2, errors.length, run.text());
    assertTrue(errors[0] <= 1.5 * errors[1], run.text());
  }

  /** Maven's settings: libraries from this build and from what has been fetched for it, a place of its own for copies. */
  private Path settings() throws IOException {
    var fetched = Path.of(System.getProperty("localRepository", System.getProperty("user.home") + "/.m2/repository"));
    return Files.writeString(folder.resolve("settings.xml"), """
        <settings>
          <localRepository>%s</localRepository>
          <mirrors>
            <mirror><id>fetched</id><mirrorOf>*,!tilewright</mirrorOf><url>%s</url></mirror>
          </mirrors>
          <profiles><profile>
            <id>tilewright</id>
            <repositories><repository><id>tilewright</id><url>%s</url></repository></repositories>
          </profile></profiles>
          <activeProfiles><activeProfile>tilewright</activeProfile></activeProfiles>
        </settings>
        """.formatted(folder.resolve("local"), fetched.toUri(), folder.resolve("repository").toUri()));
  }

  private static int tests(Path project) throws IOException {
    int tests = 0;
    try (var reports = Files.newDirectoryStream(project.resolve("target/surefire-reports"), "TEST-*.xml")) {
      for (var report : reports) {
        tests += SUITE.matcher(Files.readString(report)).results().mapToInt(m -> Integer.parseInt(m.group(1))).sum();
      }
    }
    return tests;
  }

  /** Copies what is not built. */
  private static Path copied(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : files.filter(f -> !from.relativize(f).toString().contains("target")).toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
    return to;
  }

  private record Finished(int status, String text) {}

  /** Runs a command for all that it prints. */
  private static Finished run(String... command) throws IOException, InterruptedException {
    return finish(new ProcessBuilder(List.of(command)).redirectErrorStream(true));
  }

  /** Runs a command for its standard output. */
  private static Finished output(String... command) throws IOException, InterruptedException {
    return finish(new ProcessBuilder(List.of(command)).redirectError(ProcessBuilder.Redirect.INHERIT));
  }

  private static Finished finish(ProcessBuilder command) throws IOException, InterruptedException {
    Process process;
    try {
      process = command.start();
    } catch (IOException e) {
      assumeTrue(false, "no " + command.command().getFirst() + " here: " + e.getMessage());
      throw e;
    }
    process.getOutputStream().close();
    var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Finished(process.waitFor(), text);
  }
}
