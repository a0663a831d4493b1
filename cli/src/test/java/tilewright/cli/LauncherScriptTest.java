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
import tilewright.cli.io.Exit;

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
    makeBundle("for n in 0 1 2; do echo $n $(ls -l /proc/$$/fd/$n) >>\"${0%/*}/streams\"; done");
    assertEquals(0, runBundle("", closed));
    var streams = Files.readString(home.resolve("runtime/bin/streams"));
    assertTrue(streams.lines().anyMatch(s -> s.startsWith(opened) && s.endsWith("-> /dev/null")), streams);
  }

  /** The C library takes 64 MiB of addresses for each thread otherwise: Java ended in the middle, with exit code 1. */
  @Test
  void wherePlaceIsShortThreadsShareTheirMemory() throws IOException, InterruptedException {
    makeBundle("echo $MALLOC_ARENA_MAX >\"${0%/*}/arenas\"");
    assertEquals(0, runBundle("ulimit -v 700000;", ""));
    assertEquals("1\n", Files.readString(home.resolve("runtime/bin/arenas")));
  }

  @Test
  void whatDoesNotStartInTheAddressesThatAreLeftEndsWithTheReason() throws IOException, InterruptedException {
    makeBundle("case $* in *--version) exit 1 ;; esac");
    assertEquals(Exit.ENVIRONMENT, runBundle("ulimit -v 700000;", "2>'" + home + "/errors'"));
    assertTrue(Files.readString(home.resolve("errors")).contains("in the 683 MiB of addresses that 'ulimit -v' leaves"));
    assertEquals(0, runBundle("", ""));
  }

  /** A bundle whose Java is a shell script. */
  private void makeBundle(String java) throws IOException {
    Files.createDirectories(home.resolve("runtime/bin"));
    var file = Files.writeString(home.resolve("runtime/bin/java"), "#!/bin/sh\n" + java + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  private int runBundle(String before, String redirection) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", before + "sh '" + home.resolve("tilewright") + "' layout eval " + redirection)
        .start().waitFor();
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
