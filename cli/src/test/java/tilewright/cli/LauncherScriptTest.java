package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script {@code tilewright} over a source tree of two files and a Maven that only says that it was called. */
class LauncherScriptTest {
  @TempDir
  Path home;

  @BeforeEach
  void makeSourceTree() throws IOException {
    Files.copy(script(), home.resolve("tilewright"));
    for (var folder : new String[] {"cli/src/main", "cli/src/test", "bin"}) Files.createDirectories(home.resolve(folder));
    for (var file : new String[] {"pom.xml", "cli/pom.xml", "cli/src/main/a", "cli/src/test/t"}) {
      Files.writeString(home.resolve(file), file);
    }
    var mvn = Files.writeString(home.resolve("bin/mvn"), """
        #!/bin/sh
        echo "$@" >>calls
        if [ -e slow ]; then
          echo $$ >pid
          sleep 1000
        fi
        mkdir -p cli/target/app
        : >cli/target/app/cli-1.jar
        """);
    assertTrue(mvn.toFile().setExecutable(true));
  }

  @Test
  void itBuildsOnceForEachContentOfTheSources() throws IOException, InterruptedException {
    run("doctor");
    assertEquals(1, calls());
    run("doctor");
    Files.writeString(home.resolve("cli/src/main/a"), "cli/src/main/a");
    run("doctor");
    assertEquals(1, calls(), "touched, with the same contents");
    Files.writeString(home.resolve("cli/src/main/a"), "other");
    run("doctor");
    assertEquals(2, calls());
    run("bundle", "--help");
    run("bundle", "--typo");
    run("bundle", "--out");
    assertEquals(2, calls(), "no bundle is made");
    run("bundle");
    run("bundle", "--out", "x");
    assertEquals(3, calls());
    assertTrue(Files.readString(home.resolve("calls")).contains("-Pbundle"));
  }

  @ParameterizedTest
  @CsvSource({"<&-, 0 l-wx", ">&-, 1 lr-x", "2>&-, 2 l-wx", "<&- >&- 2>&-, 0 l-wx"})
  void closedStreamsBecomeNoFileThatJavaOpens(String closed, String opened) throws IOException, InterruptedException {
    Files.createDirectories(home.resolve("runtime/bin"));
    var java = Files.writeString(home.resolve("runtime/bin/java"), """
        #!/bin/sh
        for n in 0 1 2; do echo $n $(ls -l /proc/$$/fd/$n) >>"${0%/*}/streams"; done
        """);
    assertTrue(java.toFile().setExecutable(true));
    var shell = new ProcessBuilder("sh", "-c", "sh '" + home.resolve("tilewright") + "' layout eval " + closed);
    assertEquals(0, shell.start().waitFor());
    var streams = Files.readString(home.resolve("runtime/bin/streams"));
    assertTrue(streams.lines().anyMatch(s -> s.startsWith(opened) && s.endsWith("-> /dev/null")), streams);
  }

  @Test
  void aKilledBuildLeavesNeitherMavenNorALock() throws IOException, InterruptedException {
    Files.createFile(home.resolve("slow"));
    for (boolean forcibly : new boolean[] {false, true}) {
      Files.deleteIfExists(home.resolve("pid"));
      var script = start("doctor");
      long maven = awaitMaven();
      if (forcibly) script.destroyForcibly();
      else script.destroy();
      assertTrue(script.waitFor(20, TimeUnit.SECONDS));
      var process = ProcessHandle.of(maven);
      if (process.isPresent()) process.get().onExit().orTimeout(20, TimeUnit.SECONDS).join();
      assertFalse(ProcessHandle.of(maven).map(ProcessHandle::isAlive).orElse(false));
      var lock = new ProcessBuilder("flock", "-w", "10", home.resolve("cli/target/build.lock").toString(), "true");
      assertEquals(0, lock.start().waitFor(), "the lock is free");
    }
  }

  private long awaitMaven() throws IOException, InterruptedException {
    // Written by a process that is no child of this one: there is nothing to wait for but the file.
    for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60); System.nanoTime() < end; ) {
      var pid = home.resolve("pid");
      var text = Files.exists(pid) ? Files.readString(pid).strip() : "";
      if (!text.isEmpty()) return Long.parseLong(text);
      TimeUnit.MILLISECONDS.sleep(20);
    }
    throw new AssertionError("no build within a minute: " + Files.readString(home.resolve("cli/target/build.log")));
  }

  private void run(String... arguments) throws IOException, InterruptedException {
    start(arguments).waitFor();
  }

  private Process start(String... arguments) throws IOException {
    var command = new java.util.ArrayList<>(java.util.List.of("sh", home.resolve("tilewright").toString()));
    command.addAll(java.util.List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true)
        .redirectOutput(home.resolve("output").toFile());
    builder.environment().merge("PATH", "", (path, _) -> home.resolve("bin") + ":" + path);
    return builder.start();
  }

  private int calls() throws IOException {
    return Files.readString(home.resolve("calls"), StandardCharsets.UTF_8).lines().toList().size();
  }

  /** Tests run in the module's folder or in the checkout's. */
  private static Path script() {
    var here = Path.of("tilewright");
    return Files.isRegularFile(here) ? here : Path.of("..", "tilewright");
  }
}
